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
        do {
            try await body(sender)
        } catch {
            await sender.stop()
            throw error
        }
        await sender.stop()
    }
}
