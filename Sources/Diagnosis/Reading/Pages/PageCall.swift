import Captures
import Flows
import OAuth

/// A call of a page to an endpoint of the provider on another origin.
struct PageCall {
    var exchange: Int
    var method: String
    var url: RecordedURL
    /// As the browser wrote it.
    var origin: String
    var answer: Answer?
    /// Whether something later shows that the page had the answer.
    var wentOn: Bool
    /// Whether it was made with the cookies of the user's session there, which needs a permission of its own.
    var isCredentialed = false
    /// Whether it asks the end-session endpoint, which is a page of the browser's own (OpenID Connect RP-Initiated Logout, section 2).
    var isLogout = false

    /// Calls for tokens, user data, metadata and keys, and for a logout that was not answered, in the order of time.
    static func all(in flow: Flow) -> [PageCall] {
        var calls: [PageCall] = []
        var used: Set<String> = []
        var isLater = false
        var isHanded = false
        for message in flow.messages.reversed() {
            switch message {
            case .token(let request):
                let tokens = [request.accessToken, request.issuedRefreshToken].compactMap { $0 }
                calls.append(request.answer, wentOn: tokens.contains { used.contains($0) }, flow)
                if let token = request.refreshToken { used.insert(token) }
            case .userInfo(let call):
                calls.append(call.answer, wentOn: isLater, flow)
                if let token = call.token?.value { used.insert(token) }
            case .resource(let call): if let token = call.token?.value { used.insert(token) }
            // Metadata and keys that were withheld stop a login; one that goes on had them.
            case .discovery(let document): calls.append(document.answer, wentOn: isLater, flow)
            case .keySet(let document): calls.append(document.answer, wentOn: isLater, flow)
            // The provider says itself whose page it does not know.
            case .identityAssertion(let call) where call.isStatusRefused: break
            case .identityAssertion(let call):
                if var page = PageCall(call.answer, wentOn: isHanded, flow) {
                    page.isCredentialed = true
                    calls.append(page)
                }
                isHanded = false
            case .authorizationResponse(let response) where response.mode == .credential:
                isHanded = response.callback != nil || response.error != nil
            case .authorizationRequest: isLater = true
            case .endSession(let call):
                // One that was answered may have ended the session, though no page can read that.
                let ended = flow.capture[call.answer.exchange]
                if !isLater, ended.response == nil, ended.failure != nil,
                    var page = PageCall(call.answer, wentOn: false, flow)
                {
                    page.isLogout = true
                    calls.append(page)
                }
                isLater = true
            default: break
            }
        }
        return signInSteps(of: flow) + calls.reversed()
    }

    /// The steps of a sign-in by script that never came to a login, with the cookies of the session that they begin.
    private static func signInSteps(of flow: Flow) -> [PageCall] {
        guard flow.messages.isEmpty else { return [] }
        let steps = flow.steps.map(\.exchange).filter { ForgeRockStep.isOne(flow.capture[$0]) }
        return steps.compactMap { step in
            let wentOn = steps.contains { later in
                flow.surroundings.position[later] > flow.surroundings.position[step]
                    && ForgeRockSignIn.isContinued(by: flow.capture[later].request)
            }
            var call = PageCall(Answer(of: flow.capture[step], at: step), wentOn: wentOn, flow)
            call?.isCredentialed = true
            return call
        }
    }

    /// Nil for navigations, calls of other programs than browsers, and calls to the page's own origin.
    fileprivate init?(_ answer: Answer, wentOn: Bool, _ flow: Flow) {
        let request = flow.capture[answer.exchange].request
        guard let origin = request.headers.first("origin"), let page = Self.origin(of: origin),
            page != request.url.origin,
            let agent = request.userAgent, agent.lowercased().hasPrefix("mozilla/")
        else { return nil }
        let mode = request.headers.first("sec-fetch-mode")?.lowercased() ?? "cors"
        guard mode == "cors" else { return nil }
        exchange = answer.exchange
        method = request.method
        url = request.url
        self.origin = origin
        self.answer = answer
        self.wentOn = wentOn
    }

    /// Of a page that has to be allowed: on the web, or of an app that shows its pages at a scheme of its own.
    ///
    /// So do Capacitor, Ionic and Tauri. Extensions have to be where they were given no permission for the host; files and Electron
    /// have other rules.
    private static func origin(of text: String) -> String? {
        if let origin = RecordedURL(text).origin { return origin }
        return (appSchemes + extensionSchemes).contains(where: text.lowercased().hasPrefix) ? text : nil
    }

    /// Whether an origin is that of the pages of an app, at a scheme of its own.
    static func isOfApp(_ origin: String) -> Bool {
        appSchemes.contains(where: origin.lowercased().hasPrefix)
    }

    private static let appSchemes = ["capacitor://", "ionic://", "tauri://"]
    private static let extensionSchemes = [
        "chrome-extension://", "moz-extension://", "safari-web-extension://",
    ]

    /// Whether a browser's extension made the call, which may read every answer of a host that its manifest names, and sends no
    /// preflight there.
    var isOfExtension: Bool { Self.extensionSchemes.contains(where: origin.lowercased().hasPrefix) }

    var errorText: String { answer?.errorText ?? "" }

    var originEvidence: Evidence {
        Evidence(
            place: Place(exchange: exchange, part: .requestHeader, name: "Origin"),
            value: Masking.shown(origin, of: "origin"),
            note: "the page; the call goes to \(Masking.shown(url.origin ?? "", of: "url"))"
        )
    }
}

extension [PageCall] {
    fileprivate mutating func append(_ answer: Answer, wentOn: Bool, _ flow: Flow) {
        if let call = PageCall(answer, wentOn: wentOn, flow) { append(call) }
    }
}
