package import Captures

/// One HTTP/3 connection, read passively: the bytes of its streams in, whole exchanges out.
///
/// Does no IO and reads no clock. What ``Conversation`` is for the two directions of a TCP connection.
package final class HTTP3Conversation {
    private var decoder: HTTP3Decoder
    private var assembler: ExchangeAssembler

    package init(_ configuration: Conversation.Configuration) {
        decoder = HTTP3Decoder(scheme: configuration.scheme)
        assembler = configuration.assembler
    }

    /// The exchanges that became complete within these bytes of a stream, by its number (RFC 9000, section 2.1).
    package func received(
        _ bytes: ArraySlice<UInt8>,
        of stream: Int,
        from side: Side,
        isLast: Bool,
        at time: Timestamp
    ) -> [Exchange] {
        decoder.receive(bytes, of: stream, from: side, isLast: isLast, at: time, into: &assembler)
        return assembler.takeFinished()
    }

    /// The exchange that ends as its answer is given up: by the client (STOP_SENDING), or the server (RESET_STREAM).
    package func reset(_ stream: Int, by side: Side, code: Int, at time: Timestamp) -> [Exchange] {
        decoder.reset(stream, by: side, code: code, at: time, into: &assembler)
        return assembler.takeFinished()
    }

    /// The exchange that ends as the client says no more of its request (RESET_STREAM): one that is answered.
    package func requestReset(_ stream: Int, code: Int, at time: Timestamp) -> [Exchange] {
        decoder.resetRequest(stream, code: code, into: &assembler)
        return assembler.takeFinished()
    }

    /// The exchange that ends as a part of one of its directions will not come any more.
    package func lost(_ stream: Int, from side: Side, at time: Timestamp) -> [Exchange] {
        decoder.lost(stream, from: side, at: time, into: &assembler)
        return assembler.takeFinished()
    }

    /// The connection has ended: everything under way, as it stands, be it an answer without its request.
    package func abandon(at time: Timestamp, reason: String) -> [Exchange] {
        decoder.failAll(reason, time, &assembler)
        return assembler.takeFinished()
    }

    /// What cannot be known of the messages, as packets are missing; all of it once it has ended, nil where there is nothing.
    package var losses: String? { decoder.losses.words }
}
