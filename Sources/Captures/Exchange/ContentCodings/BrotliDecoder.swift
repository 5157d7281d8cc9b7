/// Undoes brotli (RFC 7932) by the system's libbrotlidec.
///
/// Its window is 16 MiB at most: the larger ones of its extension are refused by the library.
final class BrotliDecoder: ContentDecoder {
    private typealias Make = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
    private typealias Decompress =
        @convention(c) (
            OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
            UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
            UnsafeMutablePointer<Int>?
        ) -> Int32
    private typealias Destroy = @convention(c) (OpaquePointer) -> Void

    private struct Functions: Sendable {
        let make: Make
        let decompress: Decompress
        let destroy: Destroy
    }

    private static let functions: Functions? = {
        guard
            let library = LoadedLibrary(names: [
                "libbrotlidec.so.1", "libbrotlidec.1.dylib", "/opt/homebrew/lib/libbrotlidec.1.dylib",
                "/usr/local/lib/libbrotlidec.1.dylib",
            ]), let make = library.function("BrotliDecoderCreateInstance", as: Make.self),
            let decompress = library.function("BrotliDecoderDecompressStream", as: Decompress.self),
            let destroy = library.function("BrotliDecoderDestroyInstance", as: Destroy.self)
        else { return nil }
        return Functions(make: make, decompress: decompress, destroy: destroy)
    }()

    /// Whether this machine has the library.
    static var isAvailable: Bool { functions != nil }

    private let functions: Functions
    private let state: OpaquePointer

    /// Nil where this machine has no such library.
    init?() {
        guard let functions = Self.functions, let state = functions.make(nil, nil, nil) else { return nil }
        self.functions = functions
        self.state = state
    }

    deinit { functions.destroy(state) }

    func step(_ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>)
        -> (used: Int, filled: Int, step: DecodingStep)
    {
        var inputLeft = input.count
        var next = input.baseAddress
        var outputLeft = output.count
        var target = output.baseAddress
        let result = functions.decompress(state, &inputLeft, &next, &outputLeft, &target, nil)
        let step: DecodingStep =
            switch result {
            case 1: .ended
            case 2: .needsInput
            case 3: .goesOn
            default: .failed
            }
        return (input.count - inputLeft, output.count - outputLeft, step)
    }

    /// A body is one stream.
    func restart() -> Bool { false }
}
