import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What is wrong with a DPoP proof, held against the request that it came with (RFC 9449, section 4.3).
struct DPoPProofFaults {
    private let proof: DPoPProof
    private let call: DPoPCall
    private let flow: Flow

    init(of proof: DPoPProof, _ call: DPoPCall, _ flow: Flow) {
        self.proof = proof
        self.call = call
        self.flow = flow
    }

    /// The evidence of each fault.
    var all: [[Evidence]] {
        let faults = [
            method(), url(), type(), identifier(), unlistedAlgorithm(), time(), key().map { [$0] }, hash(),
        ]
        .compactMap(\.self)
        return faults.isEmpty ? [spelling(), namedClaim(), lifetime()].compactMap(\.self) : faults
    }

    /// Whether nothing but the time of a proof of the flow is wrong, and that is right by a clock which the server's is so many seconds
    /// ahead of.
    ///
    /// `refused`: of one that was refused, and not made anew with success.
    static func areTimesWrong(in flow: Flow, byClockBehind seconds: Int64, refused: Bool) -> Bool {
        let calls = DPoPCall.all(in: flow)
        return calls.indices.contains { index in
            let call = calls[index]
            guard let proof = call.proof,
                !refused || call.mayBlameProof && !call.isRepaired(by: calls[(index + 1)...])
            else { return false }
            return DPoPProofFaults(of: proof, call, flow).isTimeAloneWrong(byClockBehind: seconds)
        }
    }

    private func isTimeAloneWrong(byClockBehind seconds: Int64) -> Bool {
        guard let (issued, now, _) = times, abs(now - issued) > mostSeconds else { return false }
        return abs(now - seconds - issued) <= mostSeconds && all.count == 1
    }

    // MARK: - The request

    private func method() -> [Evidence]? {
        guard proof.method != call.method else { return nil }
        return [claim("htm", proof.method), asked(call.method, "the method")]
    }

    /// Where the request was sent to, be it over https that a proxy ended; nil where that is not known.
    private var target: String? { flow.capture[call.exchange].askedURL?.withoutQuery }

    private func url() -> [Evidence]? {
        guard let target, proof.url.map({ !Self.isSame($0, target) }) ?? true else { return nil }
        // A client that sends the proxy's header field itself asked for what was recorded.
        if let url = proof.url, Self.isSame(url, call.url.withoutQuery), !call.answer.isRefusal { return nil }
        let note = proof.url.map { Difference.note(expected: target, seen: $0) }
        return [claim("htu", proof.url, note), asked(target, "the URL")]
    }

    /// The same URL to the specification, not to a server that compares the text, or that knows nothing of the proxy in front of it.
    private func spelling() -> [Evidence]? {
        guard let target, call.error == "invalid_dpop_proof", let url = proof.url else { return nil }
        if url != target {
            let note = "the same URL in another spelling: " + Difference.note(expected: target, seen: url)
            return [claim("htu", url, note), asked(target, "the URL")]
        }
        let received = call.url.withoutQuery
        guard received != target else { return nil }
        return [
            claim("htu", url, "the URL that the client asked for"),
            asked(received, "what came to the server, which may not heed X-Forwarded-Proto"),
        ]
    }

    /// Scheme and host in any case, default ports left out, an empty path as "/", percent-encoding undone.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        let left = RecordedURL(left)
        let right = RecordedURL(right)
        guard left.query == nil, left.fragment == nil, let origin = left.origin else { return false }
        let path = { (url: RecordedURL) in url.path.isEmpty ? "/" : PercentEncoding.decode(url.path) }
        return origin == right.origin && path(left).equalsBytes(of: path(right))
    }

    /// The hash of the access token that the request carries.
    private func hash() -> [Evidence]? {
        guard let token = call.accessToken, !Placeholder.isTakenOut(token),
            proof.accessTokenHash != DPoPProof.hash(ofAccessToken: token),
            flow.capture[call.exchange].request.headers.contains("authorization")
        else { return nil }
        return [
            claim("ath", proof.accessTokenHash),
            Evidence.computed(
                "BASE64URL(SHA256(access_token))",
                DPoPProof.hash(ofAccessToken: token),
                in: .requestHeader,
                note: "of the token that was sent"
            ),
        ]
    }

    // MARK: - The proof itself

    private func type() -> [Evidence]? {
        // The same media type, written out (RFC 7515, section 4.1.9).
        guard !["dpop+jwt", "application/dpop+jwt"].contains(proof.token.type?.lowercased()) else {
            return nil
        }
        return [
            Evidence(
                place: proof.place(ofHeader: "typ"),
                value: proof.token.type ?? "missing",
                note: "has to be dpop+jwt"
            )
        ]
    }

    /// Whether the proof may be what the request was refused for: what a server let pass it does not miss.
    private var isRefused: Bool { call.answer.isRefusal && call.mayBlameProof }

    private func identifier() -> [Evidence]? {
        isRefused && proof.identifier == nil ? [claim("jti", nil)] : nil
    }

    /// An algorithm that the provider does not name among those it takes (RFC 9449, section 5.1).
    private func unlistedAlgorithm() -> [Evidence]? {
        // What a resource takes stands in metadata of its own.
        guard isRefused, call.accessToken == nil, let algorithm = proof.token.algorithm,
            let metadata = flow.providerFacts.metadata(of: call.url),
            let list = metadata.list(Self.algorithms), !list.isEmpty, !list.contains(algorithm)
        else { return nil }
        return [
            Evidence(place: proof.place(ofHeader: "alg"), value: Masking.shown(algorithm, of: "alg")),
            Evidence(
                place: metadata.answer.place(Self.algorithms),
                value: Masking.shown(list.joined(separator: ", "), of: "list"),
                note: "what the provider takes"
            ),
        ]
    }

    private static let algorithms = "dpop_signing_alg_values_supported"

    /// When it was made, and the server's clock at the answer, as it is stated there; nil where one of them is not known.
    private var times: (issued: Int64, now: Int64, date: String)? {
        guard let issued = proof.token.issuedAt,
            let date = flow.capture[call.exchange].response?.headers.first("date"),
            let now = Timestamp(httpDate: date)?.seconds
        else { return nil }
        return (issued, now, date)
    }

    /// Servers take proofs of some seconds to some minutes; where one was refused as a proof, seconds may be why.
    private var mostSeconds: Int64 {
        call.answer.isRefusal && call.error == "invalid_dpop_proof" ? 30 : 300
    }

    private func time() -> [Evidence]? {
        guard proof.token.issuedAt != nil else {
            return [Evidence(place: proof.place(ofClaim: "iat"), value: "missing")]
        }
        guard let (issued, now, date) = times, abs(now - issued) > mostSeconds else { return nil }
        return [
            Evidence(
                place: proof.place(ofClaim: "iat"),
                value: "\(issued)",
                note: SigningClock.isInMilliseconds(issued)
                    ? SigningClock.inMilliseconds
                    : now > issued ? "\(now - issued) s ago" : "\(issued - now) s ahead"
            ),
            Evidence(
                place: Place(exchange: call.exchange, part: .responseHeader, name: "Date"),
                value: date,
                note: "\(now), the server's clock"
            ),
        ]
    }

    /// A claim that the specification leaves out, and without which this server takes no proof, as it says.
    private func namedClaim() -> [Evidence]? {
        let text = call.answer.errorText
        guard isRefused, isNamed,
            ["missing", "required", "must have", "must contain"].contains(where: text.containsBytes)
        else { return nil }
        let words = Set(text.split { !($0.isLetter || $0 == "_") })
        return ["exp", "nbf", "nonce"].first { words.contains($0[...]) && proof.token.claim($0) == nil }
            .map { [claim($0, nil, "the server asks for it")] }
    }

    /// A proof that is good for longer than Singpass and MyInfo take, which is two minutes.
    private func lifetime() -> [Evidence]? {
        guard isRefused, isNamed, isOfSingpass, let issued = proof.token.issuedAt,
            let end = proof.token.expiresAt
        else { return nil }
        guard end - issued > 120 else { return nil }
        let note = "\(end - issued) s after iat; at most 120 s are taken here"
        return [claim("exp", "\(end)", note), claim("iat", "\(issued)")]
    }

    private var isOfSingpass: Bool {
        let host = call.url.host ?? ""
        return host == "gov.sg" || host.hasSuffix(".gov.sg") || SingpassEndpoint(call.url) != nil
    }

    /// Whether the server's error is that of a proof, by its name.
    private var isNamed: Bool {
        call.error.map { $0 != "use_dpop_nonce" && $0.asciiLowercased().containsBytes("dpop") } ?? false
    }

    private func key() -> Evidence? {
        let place = proof.place(ofHeader: "jwk")
        guard let key = proof.key else { return Evidence(place: place, value: "missing") }
        let kind = key.type ?? "no kty"
        if key.holdsSecret {
            return Evidence(place: place, value: kind, note: "holds the secret half of the key")
        }
        let algorithm = proof.token.algorithm ?? "missing"
        if algorithm.lowercased() == "none" || algorithm.hasPrefix("HS") || algorithm == "missing" {
            return Evidence(
                place: proof.place(ofHeader: "alg"),
                value: algorithm,
                note: "has to be a signature by a key pair"
            )
        }
        guard proof.isSignedByItsKey == false else { return nil }
        return Evidence(
            place: place,
            value: kind,
            note: proof.token.isSignedInDER
                ? "signature in DER; r and s side by side are required (RFC 7518 §3.4)"
                : "did not make this signature"
        )
    }

    // MARK: - Evidence

    private func claim(_ name: String, _ value: String?, _ note: String? = nil) -> Evidence {
        Evidence(
            place: proof.place(ofClaim: name),
            value: value.map { Masking.shown($0, of: name) } ?? "missing",
            note: note
        )
    }

    private func asked(_ value: String, _ note: String) -> Evidence {
        Evidence(
            place: Place(exchange: call.exchange, part: .requestURL, name: ""),
            value: value,
            note: note
        )
    }
}
