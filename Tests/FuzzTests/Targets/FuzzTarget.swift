/// What strangers' bytes reach, each as a function of one input.
///
/// The raw value is the folder below `Tests/Regressions` that holds its inputs; files in it are the bytes and nothing else.
enum FuzzTarget: String, CaseIterable, Sendable {
    /// One client's bytes in HTTP/1: what the proxy cuts them into, and what the passive decoder reads.
    case http1Requests = "HTTP1/requests"
    /// One server's bytes in HTTP/1, as answers to ``HTTP1Target/asked``.
    case http1Responses = "HTTP1/responses"
    /// One client's bytes in HTTP/2, preface included.
    case http2Requests = "HTTP2"
    /// One server's bytes in HTTP/2, as answers to ``HTTP2Target/asked``.
    case http2Responses = "HTTP2Answers"
    /// Both sides of one connection, the turns parted by ``ConversationTarget/turn``; the client begins.
    case conversation = "Conversation"
    /// A client's first bytes, TLS or not.
    case clientHello = "ClientHello"
    /// A capture of any producer.
    case capture = "HAR"
    /// A file that a recording is to be continued in.
    case recovery = "Recovery"
    /// A token, and the claims of one.
    case token = "JWT"
    case json = "JSON"
    /// A text that a message carries: a cookie, a form, a URL, a page, a date.
    case texts = "Texts"
    /// A text that `share` reads and writes anew: a body, a value of a message.
    case sharedTexts = "SharedTexts"
    /// A file that others wrote, packed or not, of whatever format.
    case foreign = "Foreign"

    /// A packet capture of any format.
    case packets = "Packets"
    /// Both sides of one TLS connection, as pieces with their keys; ``ConnectionPiece`` tells the form.
    case tlsRecords = "TLSRecords"
    /// One TCP connection of a packet capture, in the same form, from its first bytes to its entries.
    case connections = "Connections"
    /// What the packets of one QUIC connection say; see ``QUICTarget``.
    case quic = "QUIC"
    /// The streams of one HTTP/3 connection; see ``HTTP3Target``.
    case http3 = "HTTP3"

    /// The name on the command line: `http1-requests`.
    var name: String {
        switch self {
        case .http1Requests: "http1-requests"
        case .http1Responses: "http1-responses"
        case .http2Requests: "http2-requests"
        case .http2Responses: "http2-responses"
        case .conversation: "conversation"
        case .clientHello: "clienthello"
        case .capture: "har"
        case .recovery: "recovery"
        case .token: "jwt"
        case .json: "json"
        case .texts: "texts"
        case .sharedTexts: "shared-texts"
        case .packets: "packets"
        case .foreign: "foreign"
        case .tlsRecords: "tls-records"
        case .connections: "connections"
        case .quic: "quic"
        case .http3: "http3"
        }
    }

    /// Reads the input in every way that the program has for it.
    ///
    /// - Throws: ``FuzzFinding`` where two ways disagree, or a promise is broken.
    func check(_ input: [UInt8]) throws(FuzzFinding) {
        switch self {
        case .http1Requests: try HTTP1Target.requests(input)
        case .http1Responses: try HTTP1Target.responses(input)
        case .http2Requests: try HTTP2Target.requests(input)
        case .http2Responses: try HTTP2Target.responses(input)
        case .conversation: try ConversationTarget.check(input)
        case .clientHello: try ClientHelloTarget.check(input)
        case .capture: try CaptureTarget.read(input)
        case .recovery: try CaptureTarget.recover(input)
        case .token: try TokenTarget.check(input)
        case .json: try JSONTarget.check(input)
        case .texts: try TextTarget.check(input)
        case .sharedTexts: try SharedTextTarget.check(input)
        case .packets: try PacketTarget.check(input)
        case .foreign: try ForeignTarget.check(input)
        case .tlsRecords: try TLSRecordTarget.check(input)
        case .connections: try ConnectionTarget.check(input)
        case .quic: try QUICTarget.check(input)
        case .http3: try HTTP3Target.check(input)
        }
    }
}

/// What an input has shown that must not be.
struct FuzzFinding: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(FuzzFinding) {
    guard condition else { throw FuzzFinding(what()) }
}
