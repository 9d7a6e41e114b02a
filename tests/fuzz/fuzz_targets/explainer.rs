//! Fuzz target: [`toolgate_fuzz::explainer`].

#![cfg_attr(fuzzing, no_main)]

toolgate_fuzz::target!(toolgate_fuzz::explainer);
