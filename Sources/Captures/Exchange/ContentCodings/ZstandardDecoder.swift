/// Undoes zstd (RFC 8878) by the system's libzstd.
///
/// The window of a content coding is 8 MiB at most (RFC 9659, section 3): a frame that asks for more is refused, here as in
/// browsers.
package final class ZstandardDecoder: ContentDecoder {
    private typealias Make = @convention(c) () -> OpaquePointer?
    private typealias SetParameter = @convention(c) (OpaquePointer, Int32, Int32) -> Int
    private typealias Decompress =
        @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
    private typealias IsError = @convention(c) (Int) -> UInt32
    private typealias Free = @convention(c) (OpaquePointer) -> Int

    /// `ZSTD_inBuffer` and `ZSTD_outBuffer`: address, size, position, each of the size of a word.
    private typealias Buffer = (address: UInt, size: UInt, position: UInt)

    private struct Functions: Sendable {
        let make: Make
        let setParameter: SetParameter
        let decompress: Decompress
        let isError: IsError
        let free: Free
    }

    /// What came out of a call that ends in an error is lost; so each gets little.
    private static let piece = 1024

    /// `ZSTD_d_windowLogMax`.
    private static let windowParameter: Int32 = 100
    /// Of a content coding, as a power of two.
    package static let greatestWindowOfCodings: Int32 = 23
    /// Of files, as the zstd program takes them without being told to take more: 128 MiB.
    package static let greatestWindowOfFiles: Int32 = 27

    private static let functions: Functions? = {
        guard
            let library = LoadedLibrary(names: [
                "libzstd.so.1", "libzstd.1.dylib", "/opt/homebrew/lib/libzstd.1.dylib",
                "/usr/local/lib/libzstd.1.dylib",
            ]), let make = library.function("ZSTD_createDCtx", as: Make.self),
            let setParameter = library.function("ZSTD_DCtx_setParameter", as: SetParameter.self),
            let decompress = library.function("ZSTD_decompressStream", as: Decompress.self),
            let isError = library.function("ZSTD_isError", as: IsError.self),
            let free = library.function("ZSTD_freeDCtx", as: Free.self)
        else { return nil }
        return Functions(
            make: make,
            setParameter: setParameter,
            decompress: decompress,
            isError: isError,
            free: free
        )
    }()

    /// Whether this machine has the library.
    package static var isAvailable: Bool { functions != nil }

    private let functions: Functions
    private let state: OpaquePointer

    /// Nil where this machine has no such library.
    ///
    /// `greatestWindow`: frames that ask for more are refused.
    package init?(greatestWindow: Int32 = greatestWindowOfCodings) {
        guard let functions = Self.functions, let state = functions.make() else { return nil }
        self.functions = functions
        self.state = state
        guard functions.isError(functions.setParameter(state, Self.windowParameter, greatestWindow)) == 0
        else {
            return nil
        }
    }

    deinit { _ = functions.free(state) }

    package func step(
        _ input: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    )
        -> (used: Int, filled: Int, step: DecodingStep)
    {
        let piece = min(input.count, Self.piece)
        var source: Buffer = (UInt(bitPattern: input.baseAddress), UInt(piece), 0)
        var target: Buffer = (UInt(bitPattern: output.baseAddress), UInt(output.count), 0)
        let result = functions.decompress(state, &target, &source)
        let used = Int(source.position)
        let filled = Int(target.position)
        let step: DecodingStep
        if functions.isError(result) != 0 {
            step = .failed
        } else if result == 0 {
            step = .ended
        } else {
            // Room that is left means that it waits.
            step = used == input.count && filled < output.count ? .needsInput : .goesOn
        }
        return (used, filled, step)
    }

    /// A body may be several frames (RFC 8878, section 3.1); the library begins the next one by itself.
    package func restart() -> Bool { true }
}
