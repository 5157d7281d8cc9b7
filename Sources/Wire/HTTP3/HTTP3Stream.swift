internal import Captures

/// What has come of one stream that carries a request and its answer (RFC 9114, section 4.1).
struct HTTP3Stream {
    /// A field section that refers to fields which have not come.
    struct Blocked {
        var section: [UInt8]
        /// Insertions that it needs; nil where that is not known yet.
        var until: Int?
        /// When it came.
        var at: Timestamp
    }

    /// One direction.
    struct Direction {
        var reader = HTTP3FrameReader()
        /// What follows it waits.
        var blocked: Blocked?
        /// Bytes that have to wait: behind ``blocked``, or of an answer whose request is not there.
        var waiting: ArraySlice<UInt8> = []
        /// Bytes behind them for which there was no room; nothing is read any more that comes behind such.
        var passedOver = 0
        /// When the last of it came.
        var lastAt: Timestamp?
        /// Nothing comes behind them.
        var hasEnded = false
        /// Whether its end was told.
        var isTold = false

        /// Bytes of a frame whose end has not come, as far as they were counted.
        var begun = 0

        /// What waits.
        var held: Int { waiting.count + (blocked?.section.count ?? 0) }
    }

    /// When the first of it came.
    let begunAt: Timestamp
    /// Nil until the request's head is there.
    var exchange: ExchangeStream?
    /// When the last of the answer came; nil before.
    var answeredAt: Timestamp?
    /// The code with which the client broke its request off; its answer may come all the same.
    var requestReset: Int?
    var client = Direction()
    var server = Direction()

    subscript(side: Side) -> Direction {
        get { side == .client ? client : server }
        _modify { if side == .client { yield &client } else { yield &server } }
    }

    /// Whether nothing more of the request comes.
    var hasRequestEnded: Bool { client.isTold || requestReset != nil }

    /// What it is counted with besides its heads.
    var held: Int { client.held + client.begun + server.held + server.begun }
}
