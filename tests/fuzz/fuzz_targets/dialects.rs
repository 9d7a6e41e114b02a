//! Fuzz target: [`toolgate_fuzz::dialects`].

#![cfg_attr(fuzzing, no_main)]

toolgate_fuzz::target!(toolgate_fuzz::dialects);
