internal import Captures
internal import NIOCore

/// A connection on which one request after the other is sent.
struct SendingConnection: Sendable {
    let channel: any Channel

    var isActive: Bool { channel.isActive }

    func close() { channel.close(promise: nil) }

    /// Sends the bytes of a request; the next one only when this is answered.
    ///
    /// Where the task is cancelled the connection is closed.
    func submit(_ request: [UInt8], timeout: Duration) async throws -> Exchange {
        let seconds = timeout.components.seconds
        let channel = channel
        let answered = channel.eventLoop.flatSubmit {
            let answer = channel.eventLoop.makePromise(of: Exchange.self)
            do {
                let handler = try channel.pipeline.syncOperations.handler(type: SendingHandler.self)
                let deadline = channel.eventLoop.scheduleTask(in: .seconds(seconds)) {
                    answer.fail(HTTPSenderError.timedOut(seconds: seconds))
                }
                answer.futureResult.whenComplete { _ in deadline.cancel() }
                handler.submit(request, answer)
            } catch {
                answer.fail(HTTPSenderError.closedWhileIdle)
            }
            return answer.futureResult
        }
        return try await withTaskCancellationHandler {
            try await answered.get()
        } onCancel: {
            close()
        }
    }

    /// Whether the server will take another request (RFC 9112, section 9.3).
    func isReusable(after exchange: Exchange) -> Bool {
        guard channel.isActive, exchange.failure == nil, exchange.upgradedTo == nil,
            exchange.malformations.isEmpty, let response = exchange.response,
            response.httpVersion == "HTTP/1.1"
        else { return false }
        let isClosed: (HeaderFields) -> Bool = { fields in
            fields.all("connection").contains {
                $0.lowercased().split(separator: ",").contains { $0.contains("close") }
            }
        }
        return !isClosed(response.headers) && !isClosed(exchange.request.headers)
    }
}
