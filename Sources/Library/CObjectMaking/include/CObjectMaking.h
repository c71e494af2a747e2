#pragma once

/// Makes an object of a subclass of Foundation's NSObject, as `Subclass()` does, where only the class is known.
///
/// A class's `init()` is a function in its table of functions, at the same place as NSObject's. Swift has no words for calling it,
/// since NSObject does not require it of its subclasses.
///
/// - subclass, object: the metadata of the two classes.
/// - Returns: the object, with one reference that is the caller's; NULL where the table has no such function.
void *spool_make_object(const void *subclass, const void *object);
