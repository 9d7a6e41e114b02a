//! Bundled: the tools that come inside the program, and the directories they are given.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use toolgate::{Access, DirectoryGrant, ToolSource};

use crate::args::Bundle;

mod guests {
    //! The components, as the build script found them; what no bundle names is not embedded.
    #![allow(dead_code, reason = "every guest has a constant, and not every one is in a bundle")]
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

/// The support desk.
const DESK: [(&str, &[u8]); 8] = [
    ("create_ticket.wasm", guests::CREATE_TICKET),
    ("csv_query.wasm", guests::CSV_QUERY),
    ("delivery_estimate.wasm", guests::DELIVERY_ESTIMATE),
    ("issue_refund.wasm", guests::ISSUE_REFUND),
    ("json_query.wasm", guests::JSON_QUERY),
    ("lookup_policy.wasm", guests::LOOKUP_POLICY),
    ("search_orders.wasm", guests::SEARCH_ORDERS),
    ("stock_lookup.wasm", guests::STOCK_LOOKUP),
];

/// What the bundle `misbehaving` has beside the desk.
const MISBEHAVING: [(&str, &[u8]); 3] = [
    ("budget_spins.wasm", guests::BUDGET_SPINS),
    ("stock_lookup_v1.wasm", guests::STOCK_LOOKUP_V1),
    ("trap_panics.wasm", guests::TRAP_PANICS),
];

/// The tables that `csv_query` asks.
const TABLES: [(&str, &str); 2] = [
    ("orders.csv", include_str!("../../../guest-tools/csv_query/data/orders.csv")),
    ("stock.csv", include_str!("../../../guest-tools/csv_query/data/stock.csv")),
];

/// The directories of a bundle, for as long as its tools may be called.
#[derive(Debug)]
pub(crate) struct Directories {
    desk: Desk,
    data: TempDir,
}

/// Where tickets and refunds go.
#[derive(Debug)]
enum Desk {
    /// Where the operator said.
    Given(PathBuf),
    /// A directory of our own, which stays if something was written.
    Fresh(TempDir),
}

impl Directories {
    /// Makes what the bundled tools are granted.
    pub(crate) fn make(desk_dir: Option<&Path>) -> Result<Self> {
        let desk = match desk_dir {
            Some(given) if given.is_dir() => Desk::Given(given.to_owned()),
            Some(given) => bail!("`--desk-dir {}` is no directory\nhint: make it first", given.display()),
            None => Desk::Fresh(fresh("toolgate-desk-")?),
        };
        let data = fresh("toolgate-data-")?;
        for (name, table) in TABLES {
            fs::write(data.path().join(name), table).context("cannot write the bundled tables")?;
        }
        Ok(Self { desk, data })
    }

    fn desk(&self) -> &Path {
        match &self.desk {
            Desk::Given(path) => path,
            Desk::Fresh(directory) => directory.path(),
        }
    }

    /// Keeps a fresh desk that was written to and says where it is; one that was not goes.
    pub(crate) fn close(self) -> Result<Option<PathBuf>> {
        match self.desk {
            Desk::Given(_) => Ok(None),
            Desk::Fresh(directory) => {
                let is_empty = directory.path().read_dir().context("cannot list the desk")?.next().is_none();
                Ok((!is_empty).then(|| directory.keep()))
            }
        }
    }
}

fn fresh(prefix: &str) -> Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir().context("cannot make a temporary directory")
}

/// The tools of a bundle, with what their contracts ask for granted.
pub(crate) fn sources(bundle: Bundle, directories: &Directories) -> Vec<ToolSource> {
    let more: &[(&str, &[u8])] = match bundle {
        Bundle::Desk => &[],
        Bundle::Misbehaving => &MISBEHAVING,
    };
    DESK.iter().chain(more).map(|(file, bytes)| grant(ToolSource::new(*file, *bytes), directories)).collect()
}

fn grant(source: ToolSource, directories: &Directories) -> ToolSource {
    let (guest, host, access) = match source.file.as_str() {
        "create_ticket.wasm" | "issue_refund.wasm" => ("/desk", directories.desk(), Access::ReadWrite),
        "csv_query.wasm" => ("/data", directories.data.path(), Access::Read),
        _ => return source,
    };
    source.grant(DirectoryGrant { guest: guest.to_owned(), host: host.to_owned(), access })
}
