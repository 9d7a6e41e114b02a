//! Tool: everything the host holds of one loaded tool, ready for calls.
//!
//! Data only, made by `load`: the stages read it and none of them changes it.

use std::sync::Arc;

use crate::contract::{Contract, HeldRelation};
use crate::sandbox::budget::Limits;
use crate::sandbox::cell::Code;
use crate::sandbox::grants::Grants;
use crate::schema::Schema;
use crate::units::ByteCount;

/// A loaded tool.
#[derive(Debug)]
pub struct Tool {
    pub(crate) contract: Contract,
    pub(crate) input: Arc<Schema>,
    pub(crate) output: Arc<Schema>,
    /// What the operator asks of a result beyond that.
    pub(crate) stricter: Option<Arc<Schema>>,
    pub(crate) relations: Box<[HeldRelation]>,
    /// Whether results are handed on as the tool wrote them.
    pub(crate) raw_results: bool,
    pub(crate) code: Code,
    pub(crate) limits: Limits,
    pub(crate) grants: Grants,
    pub(crate) writes: bool,
    pub(crate) remember: bool,
    pub(crate) file: String,
    pub(crate) size: ByteCount,
    pub(crate) digest: String,
    pub(crate) packed: bool,
    pub(crate) imports: Vec<String>,
}

impl Tool {
    /// What it says of itself.
    pub const fn contract(&self) -> &Contract {
        &self.contract
    }

    /// The name a model calls it by.
    pub fn name(&self) -> &str {
        self.contract.name.as_str()
    }

    /// What a call of it is given.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What it may reach outside.
    pub const fn grants(&self) -> &Grants {
        &self.grants
    }

    /// Whether it reaches nothing outside its sandbox, so that the same call gives the same bytes for the same fuel.
    pub const fn is_pure(&self) -> bool {
        !self.grants.reach_outside()
    }

    /// Whether its calls are ordered as writes: its contract says so or a grant lets it, unless the operator said otherwise.
    pub const fn writes(&self) -> bool {
        self.writes
    }

    /// Whether the operator lets a session remember its results, although it reaches outside its sandbox.
    pub const fn remember(&self) -> bool {
        self.remember
    }

    /// The schema that its operator laid over its own, which results have to fit too.
    pub fn stricter_output(&self) -> Option<&str> {
        self.stricter.as_ref().map(|schema| schema.text())
    }

    /// Whether control and invisible characters in its results reach the model as the tool wrote them.
    pub const fn has_raw_results(&self) -> bool {
        self.raw_results
    }

    /// The file it came from, as the operator named it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Size of the component file.
    pub const fn size(&self) -> ByteCount {
        self.size
    }

    /// SHA-256 of the component file, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether the contract stands in the component's own section, so that no guest code ran to read it.
    pub const fn packed(&self) -> bool {
        self.packed
    }

    /// What the component imports.
    pub fn imports(&self) -> &[String] {
        &self.imports
    }
}
