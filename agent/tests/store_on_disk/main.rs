//! The session store on a real file system: damaged files, other processes, full disks.
//!
//! One program with a file for each trouble, so that it is linked once.

#[cfg(test)]
mod damage;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod folder;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod processes;
#[cfg(test)]
mod short_of_room;
