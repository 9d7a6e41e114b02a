//! A filter is parsed, compiled and run by functions that call themselves, so this tool needs more stack than the others.
//! Comes after the workspace's own `-zstack-size`, and the linker takes the last.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-cdylib=-zstack-size=1048576");
}
