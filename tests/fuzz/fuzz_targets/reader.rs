//! Fuzz target: [`toolgate_fuzz::reader`].

#![cfg_attr(fuzzing, no_main)]

toolgate_fuzz::target!(toolgate_fuzz::reader);
