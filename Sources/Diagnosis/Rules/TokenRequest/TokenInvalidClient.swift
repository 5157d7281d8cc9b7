import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The provider did not accept the client's credentials.
///
/// Only restates the answer `invalid_client` (RFC 6749, section 5.2) or 401; another finding says why where
/// the capture shows it. That the client was deleted before is told here.
struct TokenInvalidClient: Rule {
    static let info = RuleInfo(
        id: "token-invalid-client",
        title: "The provider rejected the client's credentials",
        severity: .error,
        isSymptom: true,
        explanation:
            "The provider does not know the client, or does not accept the way in which it proved who it is.",
        fix: """
            Compare with the registration: client_id, secret or key, and the method (client_secret_basic, client_secret_post, private_key_jwt, \
            none). Check that they are of this provider, realm and environment.
            """,
        badExample: """
            POST /token  Authorization: Basic c2hvcDpvbGQ=
            401 {"error":"invalid_client"}
            """,
        goodExample: """
            POST /token  Authorization: Basic c2hvcDpuZXc=
            200 {"access_token":"…","token_type":"Bearer"}
            """,
        specifications: [.rfc(6749, "5.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = ClientCall.all(in: flow)
        let refused = calls.filter(\.isClientRefused)
        guard let first = refused.first else { return target(among: calls, flow) }
        // A client that falls back to another method, and is let in, has repaired it.
        let granted = Set(calls.filter(\.answer.isSuccess).map(\.purpose))
        let isRepaired = refused.allSatisfy { granted.contains($0.purpose) }
        var evidence = refused.prefix(4).flatMap { told(of: $0, flow) }
        if !isRepaired,
            let cause = deletion(before: refused, flow, evidence)
                ?? RefusedSecret.violation(refused, evidence)
        {
            return .violated(cause)
        }
        let stated = isRepaired ? nil : StatedClientRefusal.first(of: refused, in: flow)
        evidence += stated?.evidence ?? []
        let named = isRepaired || stated != nil ? nil : endpoint(otherThan: first, flow)
        if let named { evidence.append(named) }
        let isForItsKey = named == nil && refused.allSatisfy { AssertionRefusal.of($0) == .signature }
        let isUnread = named == nil && refused.allSatisfy { AssertionRefusal.of($0) == .keysOutOfReach }
        let words =
            stated?.words
            ?? (isForItsKey
                ? Self.unverified
                : isUnread
                    ? AssertionRefusal.unread
                    : named == nil
                        ? CertificateRefusal.said(in: refused.prefix(4).map(\.answer))?.wordsOfClient
                        : Self.elsewhere)
        let earlier =
            words == nil && !isRepaired
            ? AcceptedClient.grant(before: first, among: calls, in: flow) : nil
        if let earlier { evidence.insert(earlier, at: 0) }
        let isUnknown = earlier == nil && !isRepaired && refused.allSatisfy { isNobody($0, flow) }
        let isEmpty = earlier == nil && !isRepaired && refused.allSatisfy(Self.hasEmptySecret)
        return .violated(
            Violation(
                evidence,
                severity: isRepaired ? .note : nil,
                saying: words ?? earlier.map { _ in AcceptedClient.words }
                    ?? (isUnknown ? ClientIDRefusal.unknown : isEmpty ? Self.empty : nil),
                exchange: first.exchange
            )
        )
    }

    /// How a refused call authenticated, and what it was answered.
    private func told(of call: ClientCall, _ flow: Flow) -> [Evidence] {
        flow.evidence(of: call.answer, note: authentication(of: call, flow))
            + (call.authentication.clientID.map { [Evidence($0)] } ?? []) + key(of: call)
    }

    /// Whether it is the client that the provider does not know: a call that names none may have lost its name with its credentials.
    private func isNobody(_ call: ClientCall, _ flow: Flow) -> Bool {
        call.isSaidToBeUnknown
            && (!call.namesNobody || flow.surroundings.mayLackCredentials(at: call.exchange))
    }

    /// The client that is not known where it is not the one that asks: Keycloak's name for the audience of a token exchange.
    private func target(among calls: [ClientCall], _ flow: Flow) -> Verdict {
        let repaired = Set(calls.filter(\.isRepaired).map(\.exchange))
        let refused = flow.tokenRequests.first {
            $0.isTargetCalledClient && !repaired.contains($0.exchange)
        }
        guard let refused, let target = UnknownTarget(of: refused, in: flow) else { return .holds }
        return .violated(
            Violation(
                [target.sent, refused.answer.evidence()],
                saying: target.words,
                exchange: refused.exchange
            )
        )
    }

    /// How the client proved who it is, as far as the capture has what it sent: `curl -v` prints no bodies.
    private func authentication(of call: ClientCall, _ flow: Flow) -> String {
        let request = flow.capture[call.exchange].request
        guard call.authentication.methods != [.none] || request.hasLostBody != true else {
            return "client authentication: not known, the request's body is not in the capture"
        }
        let methods = call.authentication.methods.map(\.rawValue).joined(separator: ", ")
        let scheme =
            Self.hasEmptySecret(call)
            ? ", with an empty secret" : request.schemeOfItsOwn.map { ", and Authorization: \($0)" } ?? ""
        return "client authentication: \(methods)\(scheme)"
    }

    /// Whether a client has nothing but its name in the Basic header, as libraries write it whose setting for the secret is empty.
    private static func hasEmptySecret(_ call: ClientCall) -> Bool {
        call.authentication.methods == [.secretBasic] && call.authentication.secret?.value.isEmpty ?? false
    }

    private static let empty = Violation.Words(
        title: "The client sent an empty secret",
        explanation: """
            The Authorization header (Basic) has the client_id and an empty secret. The provider takes that for an attempt to prove something, with a secret that is not the registered one; of a client that \
            has none it wants no header at all.
            """,
        fix: """
            An app or page, and any other client that is registered without a secret (method none, with PKCE): take the Basic header out, send client_id in the form, and let the library authenticate by none. \
            A server: its setting with the secret is empty where it runs.
            """
    )

    private static let unverified = Violation.Words(
        title: "The provider could not verify the client assertion's signature",
        explanation: """
            The provider knows the client, and the signature of its assertion is not one of the key that it has for it: another key signed, or the provider has an \
            older one, or reads the algorithm otherwise.
            """,
        fix: """
            Compare the public half of the key that signs, by its kid, with what is registered at the provider or stands at the client's jwks_uri, which the provider has \
            to reach and may keep a copy of. See that alg is the one that is registered, and that an EC signature is the plain pair of numbers, not DER.
            """
    )

    /// That the client was taken away before.
    private func deletion(before refused: [ClientCall], _ flow: Flow, _ evidence: [Evidence]) -> Violation? {
        refused.lazy
            .compactMap { flow.deletion(of: $0.authentication.clientID?.value, before: $0.exchange) }.first
            .map { deleted in
                Violation(
                    flow.evidence(ofDeletion: deleted) + evidence,
                    saying: .deletedClient,
                    exchange: deleted.exchange,
                    isCause: true
                )
            }
    }

    /// The token endpoint that the provider's metadata names, where the client asked at another one of the same server: realms
    /// and tenants have clients of their own.
    private func endpoint(otherThan call: ClientCall, _ flow: Flow) -> Evidence? {
        guard call.kind == .token else { return nil }
        let url = flow.capture[call.exchange].request.url
        let asked = EndpointAddress(url)
        let named = flow.serverMetadata.compactMap { metadata in
            metadata.endpoint("token_endpoint").map { (metadata, RecordedURL($0)) }
        }
        guard
            !named.contains(where: { EndpointAddress($0.1).takes(asked) }),
            let (metadata, other) = named.first(where: { $0.1.origin == url.origin })
        else { return nil }
        // A query tells the two apart where their paths are the same.
        let isOfPath = other.normalizedWithoutQuery == asked.place
        return Evidence(
            place: metadata.answer.place("token_endpoint"),
            value: Masking.shown(other.text, of: "url"),
            note: "the request went to \(Masking.shown(isOfPath ? url.text : url.withoutQuery, of: "url"))"
        )
    }

    private static let elsewhere = Violation.Words(
        explanation: """
            The client asked at another token endpoint than the one that the provider's metadata names. A server with several realms, tenants or organizations \
            has one for each, and each knows its own clients only: this client is not known there, or by another secret.
            """,
        fix: """
            Take the token endpoint from the metadata of the realm (tenant, organization) in which the client is registered, the same one that the login begins in.
            """
    )

    /// What an assertion says that it is signed with, where the provider speaks of the signature.
    private func key(of call: ClientCall) -> [Evidence] {
        guard AssertionRefusal.of(call) == .signature, let assertion = call.assertion else { return [] }
        return ["kid", "x5t", "x5t#S256", "alg"].compactMap { name in
            assertion.token.header?[name]?.string.map {
                Evidence(
                    place: assertion.place(ofHeader: name),
                    value: Masking.shown($0, of: name),
                    note: name == "alg" ? nil : "the key whose public half the provider has to have"
                )
            }
        }
    }
}
