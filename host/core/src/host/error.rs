//! Error: why there is no host.

use std::fmt::Display;

use crate::auth::AuthError;
use crate::load::LoadError;
use crate::repair::RepairError;

/// Why there is no host.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BuildError {
    /// Tools that break a rule.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Tools(Vec<LoadError>),
    /// Callers and rules that cannot be meant.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Auth(Vec<AuthError>),
    /// Repair rules that cannot be followed.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Repair(Vec<RepairError>),
    /// This platform does not support the profile guests run under.
    #[error("this platform does not support the sandbox: {0}")]
    Platform(String),
}

impl BuildError {
    pub(super) fn platform(error: impl Display) -> Self {
        Self::Platform(format!("{error:#}"))
    }
}
