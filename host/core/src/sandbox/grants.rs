//! Grants: what a tool may reach outside its sandbox, and the only file that opens a path for a guest.
//!
//! Nothing is allowed until two keys turn: the contract asked for it *and* the operator gave it. One without the other is an
//! error at load, since a grant that silently has no effect is worse than none.

use std::path::PathBuf;

use wasmtime_wasi::{FsPerms, WasiCtxBuilder};

use crate::contract::{Access, Capabilities, check_guest_path};
use crate::text;

/// A directory an operator gives to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryGrant {
    /// Where the tool sees it, such as `/data`.
    pub guest: String,
    /// What is really there. Never told to a model.
    pub host: PathBuf,
    /// The most the tool may do there.
    pub access: Access,
}

/// Why the two keys do not turn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// The contract asks, nobody gave.
    #[error("it asks for directory `{guest}` ({access}), which nobody granted")]
    NotGiven {
        /// The directory asked for.
        guest: String,
        /// What it wants to do there.
        access: Access,
    },
    /// Given for less than what is asked.
    #[error("it asks for directory `{guest}` (read-write), which is granted for reading only")]
    TooLittle {
        /// The directory asked for.
        guest: String,
    },
    /// Somebody gave, the contract does not ask.
    #[error("directory `{guest}` is granted, but the contract does not ask for it")]
    NotAsked {
        /// The directory given.
        guest: String,
    },
    /// One directory twice.
    #[error("directory `{guest}` is {what} twice")]
    Twice {
        /// The directory.
        guest: String,
        /// `asked for` or `granted`.
        what: &'static str,
    },
    /// What is granted is no directory that can be opened.
    #[error("the directory granted as `{guest}` cannot be opened: {problem}")]
    NoDirectory {
        /// The directory given.
        guest: String,
        /// The operating system's words.
        problem: String,
    },
    /// A guest path that is none.
    #[error("`{0}` is no absolute guest path without `.` and `..`")]
    GuestPath(String),
    /// A directory, where the runtime lets a guest leave one.
    #[error(
        "it asks for directory `{0}`, and on Windows none is granted: a drive's letter leads out of it (GHSA-f2pq-268w-886c)"
    )]
    Windows(String),
    /// A capability that this version cannot grant to anybody.
    #[error("it asks for `{0}`, which this version cannot grant")]
    NotGrantable(&'static str),
}

/// What a tool may reach: nothing, unless [`Grants::turn`] said so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    directories: Vec<DirectoryGrant>,
}

impl Grants {
    /// No files, no network, no environment, no arguments, no stdin, no real clock, no real randomness.
    pub const fn none() -> Self {
        Self { directories: Vec::new() }
    }

    /// Holds what a contract asks for against what an operator gives.
    ///
    /// # Errors
    /// The first key without its partner; a granted directory that is not there.
    pub fn turn(asked: &Capabilities, given: &[DirectoryGrant]) -> Result<Self, GrantError> {
        if let Some(capability) = asked.not_grantable().first() {
            return Err(GrantError::NotGrantable(capability));
        }
        keeps_guests_in(cfg!(windows), asked)?;
        let twice = |what, guest: &str| Err(GrantError::Twice { guest: guest.to_owned(), what });
        let mut directories: Vec<DirectoryGrant> = Vec::new();
        for want in &asked.fs {
            if directories.iter().any(|turned| turned.guest == want.path) {
                return twice("asked for", &want.path);
            }
            let Some(grant) = given.iter().find(|grant| grant.guest == want.path) else {
                return Err(GrantError::NotGiven { guest: want.path.clone(), access: want.access });
            };
            if want.access > grant.access {
                return Err(GrantError::TooLittle { guest: want.path.clone() });
            }
            open(&mut WasiCtxBuilder::new(), grant)?;
            directories.push(DirectoryGrant { access: want.access, ..grant.clone() });
        }
        for (idx, grant) in given.iter().enumerate() {
            if check_guest_path(&grant.guest).is_err() {
                return Err(GrantError::GuestPath(text::one_line(&grant.guest, 80)));
            }
            if given.iter().take(idx).any(|earlier| earlier.guest == grant.guest) {
                return twice("granted", &grant.guest);
            }
            if !asked.fs.iter().any(|want| want.path == grant.guest) {
                return Err(GrantError::NotAsked { guest: grant.guest.clone() });
            }
        }
        Ok(Self { directories })
    }

    /// The directories, with the access that was both asked for and given.
    pub fn directories(&self) -> &[DirectoryGrant] {
        &self.directories
    }

    /// Whether any grant lets the tool see something of the world: then the same call may get another answer tomorrow.
    pub const fn reach_outside(&self) -> bool {
        !self.directories.is_empty()
    }

    /// Whether any grant lets the tool change something outside.
    pub fn can_write(&self) -> bool {
        self.directories.iter().any(|grant| grant.access == Access::ReadWrite)
    }

    /// Opens every granted directory for one call.
    pub(crate) fn open(&self, builder: &mut WasiCtxBuilder) -> Result<(), GrantError> {
        self.directories.iter().try_for_each(|grant| open(builder, grant))
    }
}

/// Whether the runtime keeps a guest inside the directories it asks for, where it asks for any.
fn keeps_guests_in(on_windows: bool, asked: &Capabilities) -> Result<(), GrantError> {
    match asked.fs.first() {
        Some(want) if on_windows => Err(GrantError::Windows(want.path.clone())),
        Some(_) | None => Ok(()),
    }
}

fn open(builder: &mut WasiCtxBuilder, grant: &DirectoryGrant) -> Result<(), GrantError> {
    let permissions = match grant.access {
        Access::Read => FsPerms::ReadOnly,
        Access::ReadWrite => FsPerms::ReadWrite,
    };
    builder.preopened_dir(&grant.host, &grant.guest, permissions).map(drop).map_err(|error| GrantError::NoDirectory {
        guest: grant.guest.clone(),
        problem: text::one_line(&format!("{error}"), 200),
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{DirectoryGrant, GrantError, Grants, keeps_guests_in};
    use crate::contract::{Access, AskedDirectory, Capabilities};

    fn asks(path: &str, access: Access) -> Capabilities {
        Capabilities { fs: vec![AskedDirectory { path: path.into(), access, reason: None }], ..Capabilities::default() }
    }

    fn gives(guest: &str, access: Access) -> DirectoryGrant {
        DirectoryGrant { guest: guest.into(), host: PathBuf::from("."), access }
    }

    #[test]
    fn nothing_is_granted_until_both_keys_turn() {
        let asked = asks("/data", Access::Read);
        assert_eq!(Grants::turn(&Capabilities::default(), &[]), Ok(Grants::none()));
        assert!(matches!(Grants::turn(&asked, &[]), Err(GrantError::NotGiven { guest: _, access: _ })));
        let unasked = Grants::turn(&Capabilities::default(), &[gives("/data", Access::Read)]);
        assert_eq!(unasked, Err(GrantError::NotAsked { guest: "/data".into() }));
        let little = Grants::turn(&asks("/data", Access::ReadWrite), &[gives("/data", Access::Read)]);
        assert_eq!(little, Err(GrantError::TooLittle { guest: "/data".into() }));
        let both = Grants::turn(&asked, &[gives("/data", Access::ReadWrite)]).expect("both keys turn");
        assert!(!both.can_write(), "no more than was asked for is given");
    }

    #[test]
    fn on_windows_no_directory_is_granted() {
        let asked = asks("/data", Access::Read);
        assert_eq!(keeps_guests_in(true, &asked), Err(GrantError::Windows("/data".into())));
        assert_eq!(keeps_guests_in(false, &asked), Ok(()));
        assert_eq!(keeps_guests_in(true, &Capabilities::default()), Ok(()));
    }

    #[test]
    fn a_grant_of_nothing_or_of_one_thing_twice_is_an_error() {
        let asked = asks("/data", Access::Read);
        let gone = DirectoryGrant { host: PathBuf::from("no/such/directory"), ..gives("/data", Access::Read) };
        assert!(matches!(Grants::turn(&asked, &[gone]), Err(GrantError::NoDirectory { guest: _, problem: _ })));
        let twice = [gives("/data", Access::Read), gives("/data", Access::Read)];
        assert!(matches!(Grants::turn(&asked, &twice), Err(GrantError::Twice { guest: _, what: "granted" })));
        let http = Capabilities { http: vec!["example.com".into()], ..Capabilities::default() };
        assert_eq!(Grants::turn(&http, &[]), Err(GrantError::NotGrantable("http")));
    }
}
