import Captures
import LibCrypto
import Reports

/// The viewer as one file.
enum ViewerFile {
    /// Writes reports into it, piece by piece.
    ///
    /// `comparison`: the two flows that it opens with.
    /// Throws what `sink` throws.
    static func write(
        _ reports: [Report],
        comparing comparison: ViewerComparison.Choice? = nil,
        to sink: OutputFile.Sink
    ) throws {
        try ViewerPage.write(
            reports.map { ViewerCapture($0) },
            generator: "authreel \(Authreel.version)",
            comparing: comparison,
            nonce: nonce(),
            to: sink
        )
    }

    /// Random text of one page.
    static func nonce() -> String { Base64.encode(SecureRandom.bytes(18)) }
}
