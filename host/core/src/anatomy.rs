//! Anatomy: what a component file is made of, read without compiling or running anything in it.
//!
//! The only file that knows `wasmparser` and `wasm-encoder`. Finds imports, exports and the contract section, and writes that
//! section. Whether what it finds is allowed is for `load` to say.

mod cost;

use wasm_encoder::ComponentSection;
use wasmparser::{Encoding, Parser, Payload};

use self::cost::Cost;
use crate::contract::SECTION;
use crate::digest;
use crate::text;
use crate::units::ByteCount;

/// Most bytes of a component file. CPython components have 18 MB; a larger one costs minutes to compile.
pub const MAX_FILE: ByteCount = ByteCount::mib(32);

/// Why a file is no component.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotComponent {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Larger than [`MAX_FILE`].
    #[error("the file has {size}, the most is {MAX_FILE}")]
    TooLarge {
        /// Its size.
        size: ByteCount,
    },
    /// More of something than can be compiled in time.
    #[error("it has {n} {what}, the most is {max}")]
    Dear {
        /// How many were met.
        n: u64,
        /// The most.
        max: u64,
        /// Of what.
        what: &'static str,
    },
    /// A WebAssembly core module.
    #[error("it is a WebAssembly core module, not a component")]
    CoreModule,
    /// WebAssembly text.
    #[error("it is WebAssembly text, not a binary component")]
    Text,
    /// Something else altogether.
    #[error("it does not start as a WebAssembly file does (`\\0asm`)")]
    Foreign,
    /// A WebAssembly file that breaks off or breaks the format.
    #[error("it is damaged at byte {at}: {problem}")]
    Damaged {
        /// The offset.
        at: u64,
        /// The rule, in the words of the parser.
        problem: String,
    },
}

/// What a component is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anatomy {
    /// Size of the file.
    pub size: ByteCount,
    /// SHA-256 of the file, in hexadecimal.
    pub digest: String,
    /// Names of what it imports, in order, such as `wasi:io/poll@0.2.6`.
    pub imports: Vec<String>,
    /// Names of what it exports, in order.
    pub exports: Vec<String>,
    /// Every `toolgate:contract` section at the top level. A packed component has exactly one.
    pub contract_sections: Vec<Vec<u8>>,
    /// How many sections of that name stand in nested modules, where the host does not look.
    pub nested_contract_sections: usize,
}

impl Anatomy {
    /// Reads a component file.
    ///
    /// # Errors
    /// What the file is instead.
    pub fn read(bytes: &[u8]) -> Result<Self, NotComponent> {
        let size = ByteCount::of(bytes);
        if size > MAX_FILE {
            return Err(NotComponent::TooLarge { size });
        }
        not_wasm(bytes)?;
        let mut anatomy = Self {
            size,
            digest: digest::sha256(bytes),
            imports: Vec::new(),
            exports: Vec::new(),
            contract_sections: Vec::new(),
            nested_contract_sections: 0,
        };
        let (mut depth, mut cost): (usize, _) = (0, Cost::default());
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload.map_err(damaged)?;
            cost.note(&payload)?;
            anatomy.note(payload, &mut depth)?;
        }
        Ok(anatomy)
    }

    /// `depth` counts how many modules and components are open around the payload.
    fn note(&mut self, payload: Payload<'_>, depth: &mut usize) -> Result<(), NotComponent> {
        match payload {
            Payload::Version { encoding: Encoding::Module, num: _, range: _ } if *depth == 0 => {
                return Err(NotComponent::CoreModule);
            }
            Payload::ModuleSection { parser: _, unchecked_range: _ }
            | Payload::ComponentSection { parser: _, unchecked_range: _ } => *depth = depth.saturating_add(1),
            Payload::End(_) => *depth = depth.saturating_sub(1),
            Payload::CustomSection(section) if section.name() == SECTION => match depth {
                0 => self.contract_sections.push(section.data().to_vec()),
                _ => self.nested_contract_sections = self.nested_contract_sections.saturating_add(1),
            },
            Payload::ComponentImportSection(imports) if *depth == 0 => {
                for import in imports {
                    self.imports.push(text::one_line(import.map_err(damaged)?.name.name, 200));
                }
            }
            Payload::ComponentExportSection(exports) if *depth == 0 => {
                for export in exports {
                    self.exports.push(text::one_line(export.map_err(damaged)?.name.name, 200));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Names what is no binary WebAssembly at all.
fn not_wasm(bytes: &[u8]) -> Result<(), NotComponent> {
    let head = bytes.get(..bytes.len().min(200)).unwrap_or_default();
    let start = String::from_utf8_lossy(head);
    let start = start.trim_start();
    match () {
        () if bytes.is_empty() => Err(NotComponent::Empty),
        () if bytes.starts_with(b"\0asm") => Ok(()),
        () if start.starts_with("(component") || start.starts_with("(module") => Err(NotComponent::Text),
        () => Err(NotComponent::Foreign),
    }
}

fn damaged(error: wasmparser::BinaryReaderError) -> NotComponent {
    NotComponent::Damaged { at: error.offset(), problem: text::one_line(error.message(), 160) }
}

/// The component with one contract section at its end, whatever sections of that name it had at its top level before.
///
/// # Errors
/// What the file is instead of a component.
pub fn with_contract(bytes: &[u8], contract: &str) -> Result<Vec<u8>, NotComponent> {
    let mut out = without_contract(bytes)?;
    let section = wasm_encoder::CustomSection { name: SECTION.into(), data: contract.as_bytes().into() };
    section.append_to_component(&mut out);
    Ok(out)
}

/// The component without contract sections at its top level.
fn without_contract(bytes: &[u8]) -> Result<Vec<u8>, NotComponent> {
    Anatomy::read(bytes)?;
    let mut out = Vec::with_capacity(bytes.len());
    let mut depth: usize = 0;
    let mut kept_to = 0;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(damaged)? {
            Payload::ModuleSection { parser: _, unchecked_range: _ }
            | Payload::ComponentSection { parser: _, unchecked_range: _ } => depth = depth.saturating_add(1),
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::CustomSection(section) if section.name() == SECTION && depth == 0 => {
                let start = section_start(bytes, index(section.range().start));
                out.extend_from_slice(bytes.get(kept_to..start).unwrap_or_default());
                kept_to = index(section.range().end);
            }
            _ => {}
        }
    }
    out.extend_from_slice(bytes.get(kept_to..).unwrap_or_default());
    Ok(out)
}

/// A section's range starts behind its id and its length; the id of a custom section is 0 and the length is LEB128, whose
/// last byte is the only one below 0x80.
fn section_start(bytes: &[u8], content: usize) -> usize {
    let mut at = content.saturating_sub(2);
    while at > 0 && bytes.get(at).is_some_and(|byte| *byte >= 0x80) {
        at = at.saturating_sub(1);
    }
    at
}

/// An offset into a file that is in memory, and so fits.
fn index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Anatomy, NotComponent, with_contract};

    /// The smallest component: the header alone.
    const EMPTY_COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn what_is_no_component_is_said_to_be_what_it_is() {
        for (bytes, said) in [
            (b"".as_slice(), "empty"),
            (b"\0asm\x01\0\0\0", "core module"),
            (b" (component)", "WebAssembly text"),
            (b"\x7fELF", "does not start"),
            (b"\0asm\x0d\0\x01\0\x07\xff", "damaged at byte"),
            (b"\0asm\x0d\0", "damaged at byte"),
        ] {
            let error = Anatomy::read(bytes).expect_err("is refused").to_string();
            assert!(error.contains(said), "{error}");
        }
        let large = vec![0; 33 << 20];
        assert!(matches!(Anatomy::read(&large), Err(NotComponent::TooLarge { size: _ })));
    }

    #[test]
    fn packing_twice_leaves_one_section() {
        let long = format!("{{\"name\":\"{}\"}}", "x".repeat(300));
        let once = with_contract(EMPTY_COMPONENT, &long).expect("packs");
        let twice = with_contract(&once, "{}").expect("packs");
        assert_eq!(Anatomy::read(&once).expect("reads").contract_sections, [long.as_bytes()]);
        assert_eq!(Anatomy::read(&twice).expect("reads").contract_sections, [b"{}"]);
        assert_eq!(with_contract(EMPTY_COMPONENT, "{}").expect("packs"), twice);
    }
}
