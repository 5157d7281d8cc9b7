import Captures
import OAuth

/// What rules ask about the whole capture, found out when one does: who only counts flows does not wait for it.
extension CaptureIndex {
    /// The app's servers, as far as they speak through the recorder.
    package var backChannel: BackChannel {
        derived.value { BackChannel(capture, order: order, messages: messages, metadata: metadata) }
    }

    /// Tokens that were taken though no answer of the capture brought them.
    package var unseenTokens: UnseenTokens { derived.value { UnseenTokens(self) } }

    /// Where the capture's logins are to be answered, without queries.
    package var redirectURIs: Set<String> {
        derived.value {
            RedirectURIs(
                all: Set(
                    authorizationRequests.compactMap { $0.redirectURI.map { RecordedURL($0).withoutQuery } }
                )
            )
        }.all
    }

    /// When each host was last asked for what, by places in ``order``.
    package var latest: LatestRequests {
        derived.value { LatestRequests(capture, order: order, messages: messages) }
    }

    /// Values of logins by which they meet again elsewhere in the capture.
    package var loginValues: LoginValues {
        derived.value {
            LoginValues(
                capture,
                order: order,
                requests: authorizationRequests,
                responses: responses,
                tokens: tokenRequests
            )
        }
    }

    /// Encrypted tokens, as far as the capture has their keys.
    package var opened: OpenedTokens {
        derived.value {
            OpenedTokens(
                capture,
                tokens: tokenRequests,
                responses: responses,
                keySets: keySets,
                registrations: registrations,
                secrets: knownSecrets
            )
        }
    }

    /// What is known of clients beyond their logins.
    package var clients: CapturedClients { derived.value { CapturedClients(self) } }

    /// Client secrets by `client_id`: issued by a registration, or accepted by a token endpoint.
    package var knownSecrets: [String: String] { clients.secrets }

    /// Not a single cookie or credential in the whole file, though it went to an authorization endpoint: an
    /// export without them, of another program than ours.
    package var isSanitized: Bool { credentials.stripped.areAll }

    /// Whether cookies and credentials of an exchange may have been left out: of the whole capture, or of the file of an import that
    /// alone saw it.
    package func isSanitized(at exchange: Int) -> Bool { credentials.stripped.contains(capture[exchange]) }

    /// The same of its credentials; its cookies may be there.
    package func mayLackCredentials(at exchange: Int) -> Bool {
        credentials.stripped.mayLackCredentials(capture[exchange])
    }

    /// Whether a request without a cookie was sent without one: some recorders keep the cookies that are set and not those
    /// that are sent.
    ///
    /// A file in which any request has one is of another kind, and so is one of a recorder that saw the connections of the
    /// browser's requests to the provider and of all callbacks.
    package var areCookiesRecorded: Bool { credentials.areCookiesRecorded }

    /// The same of one request: of an import by the files that tell of it, or by its connection.
    package func areCookiesRecorded(at exchange: Int) -> Bool {
        capture[exchange].unknownFields.request == 0 && credentials.areCookiesRecorded(at: capture[exchange])
    }

    /// Whether a request without a cookie may have been sent with one that its file leaves out.
    ///
    /// A file that tells of cookies that were set is taken at its word, unless it shows that it leaves out those that are sent: what a browser
    /// did that is new to all servers and loses the one cookie that it is given has no request with one.
    package func mayLackCookies(at exchange: Int) -> Bool {
        guard !areCookiesRecorded(at: exchange) else { return false }
        return capture[exchange].unknownFields.request > 0
            || !derived.value { UnsentCookies(self) }.isOne(capture[exchange])
    }

    private var credentials: RecordedCredentials { derived.value { RecordedCredentials(self) } }

    /// Questions of a browser whether a page may call another origin (Fetch standard, CORS), of a host, in the order of
    /// time.
    package func preflights(to host: String) -> [Int] {
        derived.value { Preflights(self) }.byHost[host] ?? []
    }

    /// What was exchanged after another exchange, in the order of time, without what pages load and no login depends on.
    ///
    /// Who looks so many exchanges ahead, or back, does not get lost in the pictures of a page.
    package func withoutAssets(after exchange: Int) -> ArraySlice<Int> {
        let all = derived.value { Essentials(self) }.order
        return all[all.partitionPoint { position[$0] > position[exchange] }...]
    }

    /// The same of what was exchanged before.
    package func withoutAssets(before exchange: Int) -> ArraySlice<Int> {
        let all = derived.value { Essentials(self) }.order
        return all[..<all.partitionPoint { position[$0] >= position[exchange] }]
    }

    /// The 401 answers by a resource of an origin, in order of time; none where nobody asked for a resource's metadata.
    package func challenges(of origin: String) -> [ResourceChallenge] {
        derived.value { Challenges(self) }.byOrigin[origin] ?? []
    }

    /// Whether a resource that refused a request answered one of the same method at the same address with success afterwards, so
    /// that the client had, or got, what it takes.
    package func isServedLater(_ challenge: ResourceChallenge) -> Bool {
        let call = capture[challenge.exchange].request.methodAndURL
        return derived.value { Challenges(self) }.served[call].map { $0 > position[challenge.exchange] }
            ?? false
    }
}

private struct Essentials: Sendable {
    let order: [Int]

    init(_ index: CaptureIndex) {
        order = index.order.filter { exchange in
            // Logouts go by pictures, and some servers begin a session with whatever they are asked for.
            !Asset.isAsset(index.capture[exchange])
                || index.messages[exchange] != nil || index.redirectedFrom[exchange] != nil
                || index.capture[exchange].response?.setCookies.isEmpty == false
        }
    }
}

private struct Preflights: Sendable {
    let byHost: [String: [Int]]

    init(_ index: CaptureIndex) {
        byHost = index.order.reduce(into: [:]) { found, exchange in
            let request = index.capture[exchange].request
            guard request.method == "OPTIONS", request.headers.contains("origin") else { return }
            found[request.url.host ?? "", default: []].append(exchange)
        }
    }
}

private struct Challenges: Sendable {
    let byOrigin: [String: [ResourceChallenge]]
    /// The place in the order of time of the last success, by call.
    let served: [String: Int]

    init(_ index: CaptureIndex) {
        guard index.metadata.contains(where: \.isProtectedResource) else {
            byOrigin = [:]
            served = [:]
            return
        }
        byOrigin = Dictionary(
            grouping: index.order.compactMap { ResourceChallenge(index.capture[$0], at: $0) },
            by: { $0.resource.origin ?? "" }
        )
        served = index.order.reduce(into: [:]) { list, exchange in
            guard let status = index.capture[exchange].response?.status, (200..<300).contains(status)
            else { return }
            list[index.capture[exchange].request.methodAndURL] = index.position[exchange]
        }
    }
}

private struct RedirectURIs: Sendable {
    var all: Set<String>
}
