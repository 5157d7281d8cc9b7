#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A library of the system that is used where there is one, and that the program starts without.
///
/// It stays loaded to the end of the process; its functions are as safe to call from several threads as it says.
struct LoadedLibrary {
    private let handle: UnsafeMutableRawPointer

    /// Loads the first of these that is there.
    ///
    /// - Parameter names: as the loader takes them: a name that it searches for, or a path.
    init?(names: [String]) {
        for name in names {
            if let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) {
                self.handle = handle
                return
            }
        }
        return nil
    }

    /// One of its functions.
    ///
    /// - Parameters:
    ///   - name: its symbol.
    ///   - type: a `@convention(c)` function type, which has to be the symbol's own.
    /// - Returns: the function; nil where it has none of this name.
    func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        precondition(MemoryLayout<Function>.size == MemoryLayout<UnsafeMutableRawPointer>.size)
        return dlsym(handle, name).map { unsafeBitCast($0, to: type) }
    }
}
