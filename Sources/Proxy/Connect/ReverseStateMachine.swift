internal import NIOCore

/// Decides what of a client's bytes goes to the origin that is played, and when.
///
/// Everything does, as it came, but `Host`: where it names us, it names the origin then. So each head is held until it
/// is whole, and what follows a request for another protocol until it is known which one is spoken.
struct ReverseStateMachine {
    enum Action: Equatable {
        case pass(ByteBuffer)
        /// Answer and close; what cannot be acted on, from its first byte.
        case refuse(ProxyRequest.Refusal, ByteBuffer)
    }

    /// What is known of the answers.
    struct Answers: Equatable {
        /// Each request so far has its own.
        var areComplete = true
        /// The connection speaks another protocol now.
        var isUpgraded = false
        /// They cannot be told apart any more.
        var areUnreadable = false
        /// The last request has its own, and its client holds back its body.
        var mayLackBody = false
    }

    private enum State: Equatable {
        case requests
        /// The request at hand asks for another protocol.
        case asking
        /// That request is through; its answer decides.
        case waitingForProtocol
        /// Answers once the requests before have theirs.
        case refusing(ProxyRequest.Refusal)
        case refused
    }

    private let listener: ReverseListener
    private let defaultPort: Int
    private var splitter: RequestSplitter
    private var state = State.requests

    /// - Parameters:
    ///   - listener: what is played where.
    ///   - isClientInTLS: whether the client speaks TLS to us.
    ///   - maximumHeadBytes: beyond, the answer is 431.
    init(listener: ReverseListener, isClientInTLS: Bool, maximumHeadBytes: Int) {
        self.listener = listener
        defaultPort = isClientInTLS ? 443 : 80
        splitter = RequestSplitter(maximumHeadBytes: maximumHeadBytes, isForServer: true)
    }

    /// Whether more bytes of the client are of no use before there are answers.
    var isWaitingForAnswers: Bool {
        switch state {
        case .requests, .asking: false
        case .waitingForProtocol, .refusing, .refused: true
        }
    }

    /// Whether some, but not all, of a head is there.
    var isInsideHead: Bool { state == .requests && splitter.isInsideHead }

    mutating func received(_ bytes: ByteBuffer) { splitter.received(bytes) }

    /// The client has ended its half: what is there goes on as it is.
    mutating func inputClosed() {
        guard state == .requests || state == .asking || state == .waitingForProtocol else { return }
        state = .requests
        splitter.becomeOpaque()
    }

    /// What to do next; nil until there are more bytes or answers.
    mutating func next(_ answers: Answers) -> Action? {
        if answers.isUpgraded { becomeOpaque() }
        switch state {
        case .refused: return nil
        case .refusing(let refusal):
            // An answer of ours must not stand amid one of the provider's.
            if answers.areUnreadable {
                becomeOpaque()
                return nextPiece(answers)
            }
            guard answers.areComplete else { return nil }
            state = .refused
            return .refuse(refusal, splitter.rest)
        case .waitingForProtocol:
            if answers.areUnreadable {
                becomeOpaque()
            } else if answers.areComplete {
                state = .requests
            } else {
                return nil
            }
            return nextPiece(answers)
        case .requests, .asking: return nextPiece(answers)
        }
    }

    private mutating func nextPiece(_ answers: Answers) -> Action? {
        switch splitter.next(mayLackBody: answers.mayLackBody) {
        case nil: return nil
        case .head(let request):
            if request.asksForUpgrade { state = .asking }
            return .pass(ByteBuffer(bytes: listener.naming(request.rewritten, defaultPort: defaultPort)))
        case .body(let bytes): return .pass(bytes)
        case .end:
            if state == .asking { state = .waitingForProtocol }
            return next(answers)
        case .refused(let refusal):
            state = .refusing(refusal)
            return next(answers)
        }
    }

    private mutating func becomeOpaque() {
        state = .requests
        splitter.becomeOpaque()
    }
}
