import Captures

/// Opens the capture of a recording, before anything else is begun.
enum CaptureOpening {
    /// Below this there is soon no room for what a login brings.
    private static let scarcity = 16 << 20

    /// Opens it, or makes it.
    ///
    /// - Parameter path: as named by the user.
    /// - Returns: its writer.
    /// - Throws: ``CommandFailure`` where it cannot be written, with what to do.
    static func open(_ path: String) throws -> CaptureWriter {
        let writer: CaptureWriter
        do throws(CaptureError) {
            writer = try CaptureWriter(path: path, version: Authreel.version)
        } catch {
            guard case .inputOutput(_, let reason) = error else { throw CommandFailure(error) }
            throw OutputFile.unmade(
                path,
                reason,
                hint: "name a file in a folder that is there, with room, and yours to write: --out FILE.har"
            )
        }
        if let free = writer.freeBytes, free < scarcity {
            StandardError.warn("there is room for \(free >> 10) KB only where \(path) is")
        }
        return writer
    }
}
