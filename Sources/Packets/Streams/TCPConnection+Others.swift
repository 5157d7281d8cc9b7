import Captures
import Wire

/// Which segments between the same ends are those of another connection.
extension TCPConnection {
    /// As long a port stays with what it was used for (RFC 9293: twice the maximum segment lifetime, as systems have it).
    private static let rest = Duration.seconds(60)

    /// Whether a segment is the first one of another connection between the same ends.
    func isFollowed(by segment: TCPSegment, isFromFirst: Bool, at time: Timestamp) -> Bool {
        guard segment.flags.contains(.synchronize) else {
            return segment.dataCount > 0 && !segment.flags.contains(.reset)
                && (isClosed && time - lastTime > Self.rest || isFar(segment, isFromFirst: isFromFirst))
        }
        let (direction, other) = isFromFirst == clientIsFirst ? (client, server) : (server, client)
        guard direction.isKnown else {
            // A handshake may be captured behind the data that it lets through.
            let isOurs =
                other.isKnown
                && (segment.flags.contains(.acknowledge)
                    ? other.mayBegin(with: segment.acknowledgment) : wasAnswered(segment))
            return isClosed || (!hasBeginning && !isOurs)
        }
        // Programs that make packets, or send those of a capture again, begin with the same number each time.
        return number == nil || segment.sequence &+ 1 != direction.firstSequence
            || isClosed && isEstablished && time - lastTime > TCPDirection.patience
    }

    /// The number that the server began with, where a client's SYN that begins another connection has the number of this one's.
    func serverNumber(whereBegunBy segment: TCPSegment, isFromFirst: Bool) -> UInt32? {
        guard segment.flags.contains(.synchronize), isFromFirst == clientIsFirst, client.isFirm,
            segment.sequence &+ 1 == client.firstSequence, server.isKnown
        else { return nil }
        return server.firstSequence
    }

    /// Whether the server acknowledged a SYN, and little more, in what the capture has before it.
    private func wasAnswered(_ opening: TCPSegment) -> Bool {
        heard.map { $0 &- (opening.sequence &+ 1) <= UInt16.max } ?? false
    }

    /// Whether a segment without data has the numbers of a later connection, whose SYN is not in the capture.
    ///
    /// Only data opens that. This one would take a gap or an end from it, up to where the other's data is near.
    @inline(__always)
    func isStray(_ segment: TCPSegment, isFromFirst: Bool) -> Bool {
        segment.dataCount == 0 && segment.flags.isDisjoint(with: [.synchronize, .reset])
            && isFar(segment, isFromFirst: isFromFirst)
    }

    /// Whether a segment answers another SYN than the client's, as firewalls do to see it reset: it is not taken for the answer
    /// (RFC 9293, section 3.10.7.3).
    @inline(__always)
    func answersAnother(_ segment: TCPSegment, isFromFirst: Bool) -> Bool {
        segment.flags.isSuperset(of: [.synchronize, .acknowledge]) && hasBeginning
            && isFromFirst != clientIsFirst && client.isFirm && !server.isKnown
            && !client.mayBegin(with: segment.acknowledgment)
    }

    /// Whether a segment is of a later connection, whose SYN is not in the capture, by its numbers.
    @inline(__always)
    private func isFar(_ segment: TCPSegment, isFromFirst: Bool) -> Bool {
        // Most packets end here, before anything is copied.
        let isFromClient = isFromFirst == clientIsFirst
        let window = TCPDirection.usualWindow
        let distance =
            isFromClient
            ? client.distance(of: segment.sequence) : server.distance(of: segment.sequence)
        return (isClosed || abs(distance) > window)
            && isFar(segment, distance, isFromClient ? client : server, isFromClient ? server : client)
    }

    @inline(never)
    private func isFar(
        _ segment: TCPSegment,
        _ distance: Int64,
        _ own: TCPDirection,
        _ other: TCPDirection
    ) -> Bool {
        guard own.isFirm else { return false }
        let window = TCPDirection.usualWindow
        let heard =
            other.isKnown && segment.flags.contains(.acknowledge)
            ? other.distance(of: segment.acknowledgment) : nil
        if isClosed {
            // Behind a FIN there is nothing, and what is sent again is not from long ago.
            return distance > (own.hasFinish ? 0 : window) || distance < -window
                || heard.map { $0 > (other.hasFinish ? 0 : window) || $0 < -window } ?? false
        }
        // Many bytes may be missing of one direction; both do not jump.
        return heard.map { abs($0) > window } ?? (distance > TCPDirection.reach || distance < -window)
    }
}
