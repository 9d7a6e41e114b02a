//! Bounds: how large a message may be, for every dialect alike.

use crate::units::ByteCount;

/// Most bytes of one message. It is held in memory while it is answered; a hundred calls of the largest arguments that
/// anybody sends stay well below.
pub const MAX_MESSAGE: ByteCount = ByteCount::mib(32);

/// Most calls of one message. A model writes a handful; a message of a million would make a reply and a result of each.
pub const MAX_CALLS_IN_MESSAGE: usize = 1024;
