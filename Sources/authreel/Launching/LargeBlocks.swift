import Foundation

/// What the C library does with large blocks of memory.
enum LargeBlocks {
    /// The smallest of them, in bytes: where glibc begins.
    private static let size: CInt = 128 << 10
    /// `M_MMAP_THRESHOLD` of `malloc.h`, which Swift does not see.
    private static let mapThreshold: CInt = -3

    /// Has each of them given back to the system as soon as it is freed, from now on.
    ///
    /// glibc does so at first, but with every one that is freed it begins at its size, up to 32 MB (mallopt(3)). The bodies
    /// of a recording then come from the heaps of the threads, which are torn to pieces by them and never shrink.
    static func areGivenBack() {
        #if os(Linux)
        guard let symbol = dlsym(nil, "mallopt") else { return }
        typealias Function = @convention(c) (CInt, CInt) -> CInt
        _ = unsafeBitCast(symbol, to: Function.self)(mapThreshold, size)
        #endif
    }
}
