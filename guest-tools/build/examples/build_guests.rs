//! Builds every guest by hand and lists them with their sizes, as a build script would see them.

#![expect(clippy::print_stdout, reason = "the list is what it is for")]

fn main() {
    for guest in toolgate_guest_build::or_explain(toolgate_guest_build::build_all()) {
        let size = std::fs::metadata(&guest.wasm).map_or(0, |file| file.len());
        println!("{:>9} {} ({})", size, guest.wasm.display(), guest.package);
    }
}
