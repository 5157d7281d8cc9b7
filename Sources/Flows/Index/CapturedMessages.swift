import Captures
import OAuth

/// The messages that exchanges show by themselves: authorization responses and calls of resources are found by others.
struct CapturedMessages {
    /// By their exchanges.
    private(set) var all: [Int: OAuthMessage] = [:]
    /// In the order of time, as all that follow.
    private(set) var requests: [AuthorizationRequest] = []
    private(set) var tokens: [TokenRequest] = []
    private(set) var metadata: [MetadataDocument] = []
    private(set) var keySets: [KeySetDocument] = []
    private(set) var registrations: [EndpointCall] = []
    /// By the `request_uri` that they were given.
    private var pushed: [String: EndpointCall] = [:]

    /// - Parameters:
    ///   - capture: whose metadata say which URLs are endpoints.
    ///   - order: indices of its entries by time.
    init(_ capture: Capture, order: [Int]) {
        var endpoints = Endpoints()
        for index in capture.indices where MessageRecognizer.isMetadata(capture[index].request.url) {
            if let json = Answer(of: capture[index], at: index).json { endpoints.add(json) }
        }
        let recognizer = MessageRecognizer(endpoints: endpoints)
        for index in order {
            guard let message = recognizer.message(of: capture[index], at: index) else { continue }
            add(message, at: index)
        }
    }

    private mutating func add(_ message: OAuthMessage, at index: Int) {
        var message = message
        switch message {
        case .authorizationRequest(var request):
            if let uri = request.parameters["request_uri"], let call = pushed[uri] {
                request.merge(pushed: call)
                message = .authorizationRequest(request)
            }
            requests.append(request)
        case .token(let request): tokens.append(request)
        case .discovery(let document): metadata.append(document)
        case .keySet(let document): keySets.append(document)
        case .registration(let call): registrations.append(call)
        case .pushedRequest(let call):
            if let uri = call.answer.parameters["request_uri"] { pushed[uri] = call }
        default: break
        }
        all[index] = message
    }
}
