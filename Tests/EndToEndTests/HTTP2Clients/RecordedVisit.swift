import Captures
import Proxy
import TestSupport
import Testing

/// A server that speaks both versions, a recorder before it, and what was recorded of a visit.
enum RecordedVisit {
    /// Starts both, has the visit done, and ends them.
    ///
    /// - Parameters:
    ///   - answer: what the server answers.
    ///   - visit: does the requests; both are gone after it.
    /// - Returns: the port of the server, the exchanges in the capture.
    /// - Throws: where one of them does not start, or what the visit throws.
    static func record(
        answer: @escaping @Sendable (RecordedRequest) -> RecordedResponse,
        visit: (NGHTTP2Server, RecorderProcess) async throws -> Void
    ) async throws -> (port: Int, exchanges: [Exchange]) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let backend = try await LocalServer.start { answer($0) }
        let server = try NGHTTP2Server.fronting(backend.port, folder: folder)
        let recorder = try RecorderProcess(
            into: folder.file("capture.har"),
            folder: folder,
            upstreamCA: server.authority
        )
        try await visit(server, recorder)
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        server.stop()
        await backend.stop()
        let capture = try CaptureReader.read(path: recorder.capture)
        return (server.port, capture.indices.map { capture[$0] })
    }
}
