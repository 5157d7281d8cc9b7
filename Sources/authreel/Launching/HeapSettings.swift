import Foundation

/// What the C library does with memory that a recording uses and frees again.
enum HeapSettings {
    /// The smallest large block, in bytes: where glibc begins.
    private static let largeSize: CInt = 128 << 10
    /// `M_MMAP_THRESHOLD` of `malloc.h`, which Swift does not see.
    private static let mapThreshold: CInt = -3

    /// `M_ARENA_MAX`.
    private static let arenaLimit: CInt = -8

    /// Has large blocks given back to the system as soon as they are freed, and threads share two heaps, from now on.
    ///
    /// glibc does the first at first, but with every one that is freed it begins at its size, up to 32 MB (mallopt(3)). The bodies
    /// of a recording then come from the heaps of the threads, which are torn to pieces by them and never shrink.
    ///
    /// A heap for each of a dozen threads, most of which have little to do, keeps what each once needed.
    static func setForRecording() {
        #if os(Linux)
        guard let symbol = dlsym(nil, "mallopt") else { return }
        typealias Function = @convention(c) (CInt, CInt) -> CInt
        _ = unsafeBitCast(symbol, to: Function.self)(mapThreshold, largeSize)
        _ = unsafeBitCast(symbol, to: Function.self)(arenaLimit, 2)
        #endif
    }
}
