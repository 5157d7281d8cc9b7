import Replay

extension HTTPSender {
    /// Runs `body` with a sender, which is stopped behind it, whatever came.
    ///
    /// - Throws: what `body` throws.
    static func withSender(
        _ configuration: Configuration,
        _ body: (HTTPSender) async throws -> Void
    ) async throws {
        let sender = HTTPSender(configuration)
        try await ending(with: { await sender.stop() }) { try await body(sender) }
    }
}
