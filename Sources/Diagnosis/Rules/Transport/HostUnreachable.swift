import Captures
import Flows
import OAuth

/// Nothing answers at the provider's address: no such name, nobody listening, no route.
///
/// A request that was cancelled or blocked says nothing of the provider, and the redirect URI is the app's own.
struct HostUnreachable: Rule {
    static let info = RuleInfo(
        id: "host-unreachable",
        title: "The provider could not be reached",
        severity: .error,
        explanation: """
            A request to the provider ended without any answer: its name is not known where the client runs, nothing listens at its address, \
            or the network does not lead there.
            """,
        fix: """
            Try the address from the very machine that failed. On a device or in a container `localhost` is that device or container itself: \
            use a name that both sides can reach, or a tunnel.
            """,
        badExample: """
            GET http://localhost:8080/realms/shop/protocol/openid-connect/auth?… (from a phone) → no answer, connection refused
            """,
        goodExample: """
            GET https://id.example/realms/shop/protocol/openid-connect/auth?… → 200
            """,
        specifications: [.rfc(6749, "3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let unreachable = flow.failedRequests(.unreachable)
        guard unreachable.isEmpty else { return .violated(violation(byUnreachable: unreachable, flow)) }
        let unanswered = unansweredRequests(of: flow)
        guard !unanswered.isEmpty else {
            return flow.tokenRequests.contains { flow.isLeftByClosedApp($0.exchange) }
                ? .abstains("the app went before it was answered, and may have been closed") : .holds
        }
        let again = unanswered.compactMap { retry(of: $0, in: flow) }
        return .violated(
            again.count == unanswered.count
                ? violation(byImpatience: unanswered, again, flow)
                : violation(byUnanswered: unanswered, flow)
        )
    }

    private func violation(byUnreachable unreachable: [FailedRequest], _ flow: Flow) -> Violation {
        let isForbidden = unreachable.allSatisfy {
            flow.capture[$0.exchange].failure.map(TransportFailure.isOfCleartext) ?? false
        }
        let isUnset = unreachable.allSatisfy {
            UnsetSetting(at: $0.exchange, in: flow)?.isOfHost ?? false
        }
        let inner = isForbidden ? nil : sentInside(unreachable, flow)
        let words =
            isForbidden ? Self.cleartext : isUnset ? UnsetSetting.words : inner.map { _ in Self.inside }
        return Violation(
            FailedRequest.evidence(of: unreachable, in: flow) + [inner].compactMap(\.self),
            saying: words,
            explains: FailedRequest.explained(by: unreachable, in: flow)
        )
    }

    private func unansweredRequests(of flow: Flow) -> [FailedRequest] {
        // Of documents the rules for documents tell.
        let documents = Set(
            flow.messages.compactMap { message -> Int? in
                switch message {
                case .discovery, .keySet, .registration, .clientConfiguration: message.exchange
                default: nil
                }
            }
        )
        let unanswered = flow.failedRequests(.unanswered).filter {
            !documents.contains($0.exchange) && flow.capture[$0.exchange].request.method != "CONNECT"
        }
        let failed = unanswered.isEmpty ? flow.unansweredCalls : unanswered
        guard !failed.isEmpty else { return [] }
        // The provider had the request: what was lost is the answer, and the refusal of the next one tells of it.
        let lost = Set(flow.tokenRequests.compactMap { LostRefresh(before: $0, in: flow)?.exchange })
        return failed.filter { !lost.contains($0.exchange) }
    }

    /// `again`: the codes that the client sent once more.
    private func violation(byImpatience unanswered: [FailedRequest], _ again: [Parameter], _ flow: Flow)
        -> Violation
    {
        Violation(
            FailedRequest.evidence(of: unanswered, in: flow)
                + again.prefix(2).map { Evidence($0, note: "the same code, sent again") },
            saying: Self.impatient,
            explains: FailedRequest.explained(by: unanswered, in: flow).union(Precedence.ofCodeSentAgain)
        )
    }

    private func violation(byUnanswered unanswered: [FailedRequest], _ flow: Flow) -> Violation {
        let isCut = unanswered.allSatisfy {
            flow.capture[$0.exchange].isBrokenOff && !$0.isLeftByClient
        }
        let isHeadCut = unanswered.allSatisfy { flow.capture[$0.exchange].isAnswerHeadCut }
        let cut = isHeadCut ? Self.cutHead : Self.cut
        return Violation(
            FailedRequest.evidence(of: unanswered, in: flow, isCut: isCut),
            saying: isCut ? cut : Self.silence,
            explains: FailedRequest.explained(by: unanswered, in: flow)
        )
    }

    /// Where something answers, and where an app waits to be sent to.
    private struct KnownOrigins {
        var all: Set<String>

        init(_ index: CaptureIndex) {
            let answered = index.order.lazy.map { index.capture[$0] }.filter {
                $0.isAnswered && $0.request.method != "CONNECT"
            }
            all = Set(answered.compactMap(\.request.url.origin))
            let logouts = index.messages.values.compactMap { message -> String? in
                guard case .endSession(let call) = message else { return nil }
                return LogoutCourse.targetNames.lazy.compactMap { call.parameters[$0] }.first
            }
            all.formUnion((index.redirectURIs + logouts).compactMap { RecordedURL($0).origin })
        }
    }

    /// The provider's own redirect to another port of its host, or to the host without TLS, where nothing answers and no app is known.
    private func sentInside(_ failed: [FailedRequest], _ flow: Flow) -> Evidence? {
        let known = flow.surroundings.derived.value { KnownOrigins(flow.surroundings) }.all
        return failed.lazy.compactMap { failed -> Evidence? in
            let url = flow.capture[failed.exchange].request.url
            guard let source = flow.surroundings.redirectedFrom[failed.exchange] else { return nil }
            let sender = flow.capture[source].request.url
            guard let host = sender.host, flow.providerHosts.contains(host), url.host == host,
                let origin = url.origin, origin != sender.origin, !known.contains(origin)
            else { return nil }
            return Evidence(
                place: Place(exchange: source, part: .responseLocation, name: ""),
                value: Masking.shown(url.withoutQuery, of: "url"),
                note: "where \(Masking.shown(sender.origin ?? "", of: "url")) sent the browser"
            )
        }.first
    }

    private static let inside = Violation.Words(
        title: "The provider sent the browser to a port that nobody reaches",
        explanation: """
            The provider answered, and sent the browser on to its own host by another port or scheme: the one that it listens at behind its \
            proxy. From outside nobody reaches that.
            """,
        fix: """
            Tell the provider its public address: proxyPort of WSO2's transports, KC_HOSTNAME and KC_PROXY_HEADERS of Keycloak, the base URL \
            of others. And let the proxy send X-Forwarded-Host, -Port and -Proto.
            """
    )

    /// The code of a token request that its client gave up after a short time, in the request that brought it again.
    private func retry(of failed: FailedRequest, in flow: Flow) -> Parameter? {
        let exchange = flow.capture[failed.exchange]
        guard failed.isLeftByClient, exchange.endedAt - exchange.startedAt < Flow.usualPatience,
            let first = flow.tokenRequests.first(where: { $0.exchange == failed.exchange }),
            let code = first.code, !code.isEmpty
        else { return nil }
        return flow.tokenRequests.first {
            $0.exchange != first.exchange && $0.code == code && $0.startedAt >= exchange.endedAt
        }?.parameters.parameter("code")
    }

    private static let impatient = Violation.Words(
        title: "The client did not wait for the provider's answer",
        explanation: """
            The client closed the connection before the provider had answered: its own timeout ran out. Then it sent the same code again. The provider may \
            have carried out the first request, and a code is good for one time.
            """,
        fix: """
            Let the client wait longer for the token endpoint (30 s is usual), and do not send a token request again of which it is not known what became: \
            begin a new login instead. If the provider is slow each time, its log says why.
            """
    )

    private static let cleartext = Violation.Words(
        title: "The app's system does not let it speak plain http",
        explanation: """
            The request never left the device: iOS (App Transport Security) and Android (network security configuration) let apps ask nothing in clear unless \
            they are told otherwise.
            """,
        fix: """
            Give the provider an https address, also for development (a tunnel, or a local certificate that the device trusts). Exceptions for single hosts \
            are NSExceptionAllowsInsecureHTTPLoads and cleartextTrafficPermitted; they have no place in what is shipped.
            """
    )
    private static let cut = Violation.Words(
        title: "The provider's answer broke off before its end",
        explanation: """
            The provider, or what stands in front of it, began to answer and closed the connection before the answer was whole: less came than Content-Length \
            announces, or the last chunk is missing. What came cannot be read.
            """,
        fix: """
            Look into the log of the balancer or TLS proxy in front of the provider first: a full buffer or disk, a limit of size or time ends an answer like \
            this, and so does a server that dies while it writes. The request was carried out: a code that was sent with it is used up.
            """
    )
    private static let cutHead = Violation.Words(
        title: cut.title,
        explanation: """
            The provider, or what stands in front of it, began to answer and closed the connection within the head of the answer: the status came, and the \
            header fields ended before the empty line that closes them. What was to follow is not known.
            """,
        fix: cut.fix
    )
    private static let silence = Violation.Words(
        title: "The provider did not answer",
        explanation: """
            The provider, or what stands in front of it, took the request and gave no answer, or not all of it: it hung up, or was silent until the other side \
            gave up.
            """,
        fix: """
            Look into the log of the provider, and of the balancer, firewall or TLS proxy in front of it, at the time of this request. The \
            request may have been carried out: a code that was sent with it can be used up.
            """
    )
}
