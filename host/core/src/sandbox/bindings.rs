//! Bindings: what the component runtime generates from `wit/tool.wit`. Nothing here is written by hand.

#![expect(clippy::all, clippy::restriction, reason = "generated from the documented WIT")]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "guest",
    exports: { default: async },
});
