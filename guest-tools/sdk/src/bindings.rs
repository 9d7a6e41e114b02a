//! Bindings generated from `wit/tool.wit`. Nothing is written here by hand; `raw`, `failure` and `log` say what of it is
//! public.

wit_bindgen::generate!({
    path: "../../wit",
    world: "guest",
    pub_export_macro: true,
    export_macro_name: "export_guest",
    default_bindings_module: "toolgate_sdk::bindings",
    runtime_path: "toolgate_sdk::expanded::rt",
});
