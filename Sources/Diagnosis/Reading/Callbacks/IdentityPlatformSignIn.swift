import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Google's Identity Platform (Firebase Authentication), where an app signs its user in with what another provider gave it: a code, or
/// a token, in `accounts:signInWithIdp`.
enum IdentityPlatformSignIn {
    /// The last such request with the code or a token of a login, where each one was refused; nil otherwise.
    static func refusal(of login: Login, in flow: Flow) -> Int? {
        let all = flow.surroundings.derived.value { Calls(of: flow.surroundings) }.all
        guard !all.isEmpty, let response = login.response else { return nil }
        let values = values(of: login).map { CarriedCode($0) }
        let position = flow.surroundings.position
        let start = flow.capture[response.exchange].startedAt
        let calls = all[all.partitionPoint { position[$0] > position[response.exchange] }...]
            .prefix(mostCalls)
            .prefix { flow.capture[$0].startedAt - start <= .seconds(300) }
            .filter { call in
                let bytes = flow.capture[call].request.body?.bytes ?? []
                return values.contains { $0.isWritten(in: bytes) }
            }
        guard let last = calls.last, calls.allSatisfy({ isRefused(flow.capture[$0]) }) else { return nil }
        return last
    }

    /// What there is to say of one that was refused.
    static func violation(at call: Int, in flow: Flow) -> Violation {
        let exchange = flow.capture[call]
        let message = message(of: exchange) ?? ""
        var evidence = [flow.urlEvidence(of: call, note: "where the app brought what the provider gave it")]
        if message.isEmpty {
            evidence.append(flow.statusEvidence(of: call, note: "refused"))
        } else {
            evidence.append(
                Evidence(
                    place: Place(exchange: call, part: .responseBody, name: "error.message"),
                    value: Masking.shown(message, of: "error"),
                    note: "refused"
                )
            )
        }
        if let token = flow.deliveredIDTokens.last { evidence.append(token.evidence(ofClaim: "aud")) }
        return Violation(
            evidence,
            saying: Violation.Words(
                title: "Identity Platform (Firebase) did not take what the provider gave the app",
                explanation: """
                    The login at the provider went well. The app then brought its outcome to Google's Identity Platform (Firebase Authentication), to be signed in \
                    there, and that refused it\(message.isEmpty ? ", and named no reason" : ", for the reason that its answer names").
                    """,
                fix: fix(for: message)
            ),
            exchange: call
        )
    }

    // MARK: - The request

    /// The code and the tokens of a login, as far as they are long enough to be told from others.
    private static func values(of login: Login) -> [Parameter] {
        let code = login.response?.parameter("code")
        let granted = login.tokenRequests.filter(\.answer.isSuccess).map(\.answer.parameters)
        let tokens = ([login.response?.parameters].compactMap(\.self) + granted).flatMap { parameters in
            ["id_token", "access_token"].compactMap { parameters.parameter($0) }
        }
        return ([code].compactMap(\.self) + tokens).filter {
            $0.value.utf8.count >= shortest && !Placeholder.isOne($0.value)
        }
    }

    /// Read once for all logins of a capture.
    private struct Calls: Sendable {
        /// In the order of time.
        var all: [Int]

        init(of index: CaptureIndex) {
            all = index.order.filter { isOne(index.capture[$0].request) }
        }
    }

    /// Whether a request is one, at Google's or at the emulator's address, by its present or its former name.
    private static func isOne(_ request: RecordedRequest) -> Bool {
        guard request.method == "POST", (request.body?.size ?? 0) < largest else { return false }
        let path = request.url.path
        return path.hasSuffix("/accounts:signInWithIdp") || path.hasSuffix("/relyingparty/verifyAssertion")
    }

    private static let shortest = 20
    /// Behind an answer.
    private static let mostCalls = 10
    /// In bytes of a body.
    private static let largest = 1 << 15

    // MARK: - The answer

    private static func isRefused(_ exchange: Exchange) -> Bool {
        guard let status = exchange.response?.status else { return false }
        return (400..<500).contains(status) && status != 429
    }

    /// As `INVALID_IDP_RESPONSE : The supplied auth credential is malformed`; nil where there is none.
    private static func message(of exchange: Exchange) -> String? {
        JSONBody.object(of: exchange.response?.body, below: largest)?["error"]?["message"]?.string
    }

    private static func fix(for message: String) -> String {
        guard !message.isEmpty else {
            return """
                See what answered: a page, or nothing at all, comes from something in front of the platform (a proxy of the app's own, a firewall). If it was the \
                platform, the project's log of the Identity Toolkit API has the reason.
                """
        }
        return fixes.first { fix in fix.names.contains(where: message.hasPrefix) }?.text ?? """
            Go by the message: it names what the project does not allow, or does not like about this user.
            """
    }

    private static let fixes: [(names: [String], text: String)] = [
        (
            ["INVALID_IDP_RESPONSE", "INVALID_CREDENTIAL_OR_PROVIDER_ID"],
            """
            Compare the aud of the ID token with the client ids that the project has for this provider (Authentication, Sign-in method: its own client, and \
            for Google the client IDs from external projects on the safelist), and its exp with the time of the request. A code is taken once, and only of the \
            client that is set there, with its secret.
            """
        ),
        (
            // Apple's are taken once; the name of the error is that of the nonce all the same.
            ["MISSING_OR_INVALID_NONCE : Duplicate credential"],
            """
            Bring each token once. This one had been brought before, by an attempt to link it for instance: have the user sign in at the provider again, or go on \
            with the credential that the refused attempt to link it hands out.
            """
        ),
        (
            ["MISSING_OR_INVALID_NONCE"],
            """
            Send the raw nonce along with the token (rawNonce in the SDKs, nonce in postBody) where the login named its SHA-256, in hex, as Apple's sample code \
            has it.
            """
        ),
        (
            ["OPERATION_NOT_ALLOWED", "CONFIGURATION_NOT_FOUND"],
            """
            Turn this provider on in the project that the API key belongs to (Authentication, Sign-in method), with its client id and secret; see that it is \
            the right project.
            """
        ),
        (
            ["USER_DISABLED"],
            "Enable the account again in the project's list of users, or sign in as somebody else."
        ),
        (
            ["EMAIL_EXISTS", "FEDERATED_USER_ID_ALREADY_LINKED"],
            """
            Another account of the project has this address or this identity already: sign in to that one, and link the two from there.
            """
        ),
    ]
}
