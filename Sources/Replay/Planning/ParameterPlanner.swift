import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Says of each value of a request where it comes from in a new run.
struct ParameterPlanner {
    private let flow: Flow
    /// Of a capture whose secrets are stand-ins that are no use.
    private let redaction: Redaction?
    /// Where recorded values were seen first among the driven exchanges: issued by the provider, or made by the
    /// client.
    private var issued: [String: Place] = [:]
    /// Where exchanges stand in the order of time.
    private let position: [Int]
    /// Whether a request of a shared capture says who signed in by a name that says so.
    private let isAccountNamed: Bool

    private var capture: Capture { flow.capture }

    init(flow: Flow, driven: [Int], options: PlanOptions) {
        self.flow = flow
        redaction = options.sendsStandIns ? nil : flow.capture.redaction
        position = flow.surroundings.position
        isAccountNamed = redaction != nil && driven.contains { Self.namesAccount(flow.capture[$0].request) }
        let driven = Set(driven)
        for link in flow.links where link.transform == .equal || link.transform == .percent {
            let places = ([link.origin] + link.uses).filter {
                $0.place.exchange.map(driven.contains) ?? false
            }
            // Within an exchange the request is before its answer.
            let first = places.min { left, right in
                let key = { [position] (occurrence: Occurrence) in
                    (position[occurrence.place.exchange ?? 0], Self.isAnswer(occurrence.place) ? 1 : 0)
                }
                return key(left) < key(right)
            }
            guard let first, Self.isAnswer(first.place) else { continue }
            for occurrence in places where issued[occurrence.value] == nil {
                issued[occurrence.value] = first.place
            }
        }
        // Tokens and userinfo say it back (azp); only who registers here learns it (RFC 7591, section 3.2.1).
        if flow.registrations.isEmpty, let client = flow.clientID { issued[client] = nil }
        addResponses(driven)
        addUserCodes(driven)
        let lost = LostTokens(of: flow, driven: driven)
        for (token, place) in lost.places where issued[token] == nil { issued[token] = place }
        if let code = LostCode(of: flow, driven: driven), issued[code.value] == nil {
            issued[code.value] = code.place
        }
    }

    /// What comes to the app by way of the browser, wherever it was seen.
    private mutating func addResponses(_ driven: Set<Int>) {
        for response in flow.authorizationResponses where response.deliveredBy.map(driven.contains) ?? true {
            for parameter in response.parameters.items
            where ["code", "access_token", "id_token", "session_state"].contains(parameter.name)
                && issued[parameter.value] == nil && !parameter.value.isEmpty
            {
                issued[parameter.value] = Place(
                    exchange: response.exchange,
                    part: .responseLocation,
                    name: parameter.name
                )
            }
        }
    }

    /// Entered on another device, beside the flow (RFC 8628, section 3.3).
    private mutating func addUserCodes(_ driven: Set<Int>) {
        for step in flow.steps
        where step.kind == .deviceAuthorizationRequest && driven.contains(step.exchange) {
            let answer = Answer(of: capture[step.exchange], at: step.exchange)
            guard let code = answer.parameters.parameter("user_code"), issued[code.value] == nil else {
                continue
            }
            issued[code.value] = code.place
        }
    }

    private static func isAnswer(_ place: Place) -> Bool {
        switch place.part {
        case .responseBody, .responseHeader, .responseLocation, .jwtClaims, .jwtHeader: true
        default: false
        }
    }

    /// The values of a request, which is the one of an exchange or was made of it.
    func parameters(
        of request: RecordedRequest,
        at exchange: Int,
        kind: StepKind?,
        action: PlannedStep.Action
    ) -> [PlannedParameter] {
        // The target of a redirect is the provider's word.
        if case .follow = action { return [] }
        let fields = pageFields(action)
        let open = nameLeftOpen(at: exchange, action)
        let account = redactedAccount(in: request, at: exchange, kind, action)
        func planned(_ name: String, _ part: Place.Part, _ value: String) -> PlannedParameter {
            let source =
                name == open && value.isEmpty || part == .requestBody && name == account
                ? .secret(SecretNames.username, isRecorded: false)
                : source(name, value, kind, fields[name], exchange)
            return PlannedParameter(name: name, part: part, value: value, source: source)
        }
        var list: [PlannedParameter] = []
        if kind?.isOfRegistration ?? false, issued[request.url.text] != nil {
            list.append(planned("registration_client_uri", .requestURL, request.url.text))
        }
        list += request.url.queryItems.items.map { planned($0.name, .requestQuery, $0.value) }
        list += Self.bodyValues(of: request).map { planned($0, .requestBody, $1) }
        return list + credentials(of: request, at: exchange, kind: kind)
    }

    /// The field that ``LostSignIn`` leaves open for who signs in; nil of requests that it did not make.
    private func nameLeftOpen(at exchange: Int, _ action: PlannedStep.Action) -> String? {
        let recorded = capture[exchange].request
        guard case .submit(let page) = action, recorded.hasLostBody ?? true else { return nil }
        return LostSignIn.form(capture[page], to: recorded).flatMap(SignIn.nameField)?.name
    }

    /// The field of a sign-in that holds the stand-in of who signed in though its name does not say so: WordPress's `log`.
    ///
    /// It is the page's field for it, else the one before the password. Nil where a field's name says it, on whichever page, and in all
    /// but shared captures.
    private func redactedAccount(
        in request: RecordedRequest,
        at exchange: Int,
        _ kind: StepKind?,
        _ action: PlannedStep.Action
    ) -> String? {
        guard isStandIn(SecretNames.username), kind == nil || kind == .userInteraction, !isAccountNamed,
            let items = (FormBody.items(of: request.body) ?? MultipartForm.items(of: request.body))?.items,
            !Self.namesAccount(request)
        else { return nil }
        if case .submit(let page) = action, let form = LostSignIn.form(capture[page], to: request) {
            return SignIn.nameField(of: form)?.name
        }
        let password = items.firstIndex { SecretNames.isTyped($0.name) && !SecretNames.isOneTime($0.name) }
        guard let password else { return nil }
        let field = items[..<password].last { !$0.value.isEmpty && issued[$0.value] == nil }
        return field?.name
    }

    private static func namesAccount(_ request: RecordedRequest) -> Bool {
        bodyValues(of: request).contains { SignIn.names.contains($0.0.lowercased()) }
    }

    /// What a body says by name: a form's fields, or the strings of a JSON document.
    private static func bodyValues(of request: RecordedRequest) -> [(String, String)] {
        if let form = FormBody.items(of: request.body) ?? MultipartForm.items(of: request.body) {
            return form.items.map { ($0.name, $0.value) }
        }
        let json = JSONBody.value(of: request.body)
        return json.map { strings(in: $0) } ?? []
    }

    /// What stands in headers: the client's secret, an access token, a proof; whatever a page's fields are called.
    private func credentials(of request: RecordedRequest, at exchange: Int, kind: StepKind?)
        -> [PlannedParameter]
    {
        var list: [PlannedParameter] = []
        func add(_ name: String, _ value: String, _ source: ValueSource) {
            list.append(PlannedParameter(name: name, part: .requestHeader, value: value, source: source))
        }
        let authentication = ClientAuthentication(of: request, exchange: exchange, parameters: Parameters())
        if authentication.methods == [.secretBasic], let secret = authentication.secret?.value {
            let name = SecretNames.clientSecret
            add(name, secret, source(name, secret, kind, nil, exchange))
        }
        if let token = BearerToken.of(request, exchange: exchange)?.value {
            add("access_token", token, source("access_token", token, kind, nil, exchange))
        }
        if let proof = request.headers.first("dpop") { add("DPoP", proof, .generated(.dpopProof)) }
        return list
    }

    private func source(
        _ name: String,
        _ value: String,
        _ kind: StepKind?,
        _ field: HTMLForm.Field?,
        _ exchange: Int
    ) -> ValueSource {
        if let place = issued[value], isTold(at: place, before: exchange) { return .issued(place) }
        switch name {
        case "client_assertion" where JSONWebToken.parse(value) != nil: return .generated(.clientAssertion)
        case "assertion" where isOwnAssertion(value): return .generated(.grantAssertion)
        case "request" where kind == .authorizationRequest || kind == .pushedAuthorizationRequest:
            return JSONWebToken.parse(value) == nil ? .literal : .generated(.requestObject)
        case SecretNames.clientSecret where !value.isEmpty:
            return .secret(name, isRecorded: isUsable(name, value))
        default: break
        }
        if let made = generated(name, value, kind) { return made }
        if isStandIn(name),
            name == "login_hint" || kind != .refreshRequest && SignIn.names.contains(name.lowercased())
        {
            return .secret(SecretNames.username, isRecorded: false)
        }
        if kind == .userInteraction || kind == nil {
            if SecretNames.isTyped(name, type: field?.type) {
                return .secret(
                    name,
                    isRecorded: isUsable(name, value) && !SecretNames.isOneTime(name)
                )
            }
            return field.map { $0.type == "hidden" && $0.value == value } ?? false ? .form : .literal
        }
        // Of an earlier time, before the recording began.
        if ["password", "refresh_token", "access_token", "id_token_hint", "subject_token"].contains(name) {
            return .secret(name, isRecorded: isUsable(name, value))
        }
        return .literal
    }

    /// Whether an assertion for tokens is one that the client signs with a key of its own, as service accounts do, and
    /// not another issuer's (RFC 7523, section 3).
    private func isOwnAssertion(_ value: String) -> Bool {
        guard let token = JSONWebToken.parse(value),
            let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))
        else { return false }
        if algorithm.isSymmetric { return isKeyedWithSecret(token) }
        return flow.clientID.map { $0 == token.issuer } ?? true
    }

    /// Whether a token was made with the client's secret, which the capture has.
    private func isKeyedWithSecret(_ token: JSONWebToken) -> Bool {
        guard let client = flow.clientID, let secret = flow.surroundings.knownSecrets[client] else {
            return false
        }
        return token.verify(keys: [], secret: Array(secret.utf8)).outcome == .valid
    }

    /// Whether what stands at a place was known when a request was sent: its answer came earlier.
    ///
    /// What the browser brought is older than its use, whatever the clocks of two recorders say.
    private func isTold(at place: Place, before exchange: Int) -> Bool {
        guard let answer = place.exchange, answer != exchange else { return false }
        return place.part == .responseLocation || position[answer] < position[exchange]
    }

    /// Whether a recorded secret can be sent again.
    private func isUsable(_ name: String, _ value: String) -> Bool {
        SecretNames.isUsable(value) && !isStandIn(name)
    }

    private func isStandIn(_ name: String) -> Bool { redaction?.concerns(name) ?? false }

    private func generated(_ name: String, _ value: String, _ kind: StepKind?) -> ValueSource? {
        switch kind {
        case .authorizationRequest, .pushedAuthorizationRequest:
            switch name {
            case "state", "nonce":
                let isWord =
                    FreshValue.fresh(like: value, random: { [UInt8](repeating: 0, count: $0) }) == nil
                return isWord ? .literal : .generated(name == "state" ? .state : .nonce)
            case "code_challenge": return value.isEmpty ? nil : .generated(.codeChallenge)
            case "dpop_jkt": return .generated(.dpopThumbprint)
            default: return nil
            }
        case .tokenRequest:
            return name == "code_verifier" && !value.isEmpty ? .generated(.codeVerifier) : nil
        case .endSessionRequest:
            guard name == "state" else { return nil }
            let isWord = FreshValue.fresh(like: value, random: { [UInt8](repeating: 0, count: $0) }) == nil
            return isWord ? .literal : .generated(.state)
        default: return nil
        }
    }

    /// The fields of the recorded page's forms, by name.
    private func pageFields(_ action: PlannedStep.Action) -> [String: HTMLForm.Field] {
        guard case .submit(let page) = action, let recorded = Page(capture[page]) else { return [:] }
        return recorded.forms.flatMap(\.fields).reduce(into: [:]) { fields, field in
            if fields[field.name] == nil { fields[field.name] = field }
        }
    }

    /// The strings of a JSON document with the names that they stand under.
    static func strings(in value: JSONValue, name: String = "", depth: Int = 0) -> [(String, String)] {
        switch value {
        case .string(let text): [(name, text)]
        case .array(let elements) where depth < 8:
            elements.flatMap { strings(in: $0, name: name, depth: depth + 1) }
        case .object(let object) where depth < 8:
            object.members.flatMap { strings(in: $0.value, name: $0.name, depth: depth + 1) }
        default: []
        }
    }
}
