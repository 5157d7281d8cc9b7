import Captures
import Foundation
import JSON
import LibCrypto
import NIOCore
import Proxy
import Replay

/// A real browser for the flows of one session: what it sends goes through a recorder of its own, so that it is
/// taken down as any recording is, trusts whom the replay trusts, and reaches nobody whom the replay does not.
///
/// Started when the first visit begins; gone, with its profile, at ``end()``.
actor ReplayBrowser {
    /// How the browsers of a replay are.
    struct Configuration: Sendable {
        var launcher: BrowserLauncher
        /// Somebody signs in by hand.
        var isInteractive: Bool
        var upstreamTrust: [Certificate]
        var insecureUpstream: Bool
        var environment: [String: String]
    }

    private let configuration: Configuration
    private let traffic = BrowserTraffic()
    private var server: ProxyServer?
    private var browser: PipedBrowser?
    private var session: String?
    private var userAgent: String?
    private var nextID: Int64 = 1

    init(_ configuration: Configuration) { self.configuration = configuration }

    // MARK: - A visit

    /// Leads the browser through a visit.
    ///
    /// `tell`: what is to be said meanwhile.
    func visit(_ visit: BrowserVisit, tell: @escaping @Sendable (BrowserVisit.Notice) -> Void) async
        -> BrowserVisit.Outcome
    {
        var visit = visit
        visit.isForPerson = visit.isForPerson && configuration.isInteractive
        let (events, post) = AsyncStream<BrowserVisitStateMachine.Event>.makeStream()
        traffic.begin(visit.allows, post)
        let ending: BrowserVisit.Ending
        do {
            let (browser, session) = try await started()
            browser.listen { post.yield($0) }
            ending = named(await lead(visit, browser, session, events, tell), of: visit)
            browser.listen(nil)
        } catch let failure as CommandFailure {
            ending = .failed(reason: failure.message)
        } catch {
            ending = .failed(reason: "\(error)")
        }
        return BrowserVisit.Outcome(ending, traffic.end())
    }

    /// A browser says of what it is led through that it got no further: why is known there.
    private func named(_ ending: BrowserVisit.Ending, of visit: BrowserVisit) -> BrowserVisit.Ending {
        guard case .failed(let reason) = ending, reason.contains("ERR_TUNNEL_CONNECTION_FAILED"),
            let host = visit.url.host, let failure = traffic.failure(at: host)
        else { return ending }
        return .failed(reason: failure)
    }

    private func lead(
        _ visit: BrowserVisit,
        _ browser: PipedBrowser,
        _ session: String,
        _ events: AsyncStream<BrowserVisitStateMachine.Event>,
        _ tell: @Sendable (BrowserVisit.Notice) -> Void
    ) async -> BrowserVisit.Ending {
        var machine = BrowserVisitStateMachine(
            visit,
            session: session,
            userAgent: userAgent,
            firstID: nextID
        )
        defer { nextID = machine.unusedID }
        browser.beginTicking()
        defer { browser.endTicking() }
        var actions = machine.handle(.begin, at: SystemClock.now)
        var iterator = events.makeAsyncIterator()
        while true {
            for action in actions {
                switch action {
                case .send(let command): browser.send(command)
                case .tell(let notice): tell(notice)
                case .finish(let ending):
                    // Its scripts are not to go on behind our back.
                    let blank: JSONObject = ["url": "about:blank"]
                    browser.send(
                        DevToolsCommand(id: machine.unusedID, "Page.navigate", blank, session: session)
                    )
                    return ending
                }
            }
            guard let event = await iterator.next() else { return .failed(reason: "interrupted") }
            actions = machine.handle(event, at: SystemClock.now)
        }
    }

    // MARK: - Beginning and end

    private func started() async throws -> (PipedBrowser, String) {
        if let browser, let session { return (browser, session) }
        let server = try recorder()
        self.server = server
        let address = try await server.start()
        let browser = try PipedBrowser(
            configuration.launcher,
            route: BrowserRoute(
                proxy: .init(host: "127.0.0.1", port: address.port ?? 0),
                keyDigest: server.leafKeyDigest
            ),
            environment: configuration.environment
        )
        self.browser = browser
        let version = try await ask(browser, "Browser.getVersion")
        // What a server knows of the window is no part of the login.
        userAgent = version["userAgent"]?.string.map {
            $0.replacingOccurrences(of: "HeadlessChrome", with: "Chrome")
        }
        let session = try await attach(to: browser)
        self.session = session
        return (browser, session)
    }

    /// The proxy that the browser is led through, with an authority of its own.
    private func recorder() throws -> ProxyServer {
        let traffic = traffic
        let (authority, _) = try CertificateAuthority.make(now: SystemClock.now)
        var proxy = ProxyConfiguration(
            port: 0,
            permits: { traffic.permits($0, $1) },
            passesPinningClients: false,
            upstreamTrust: configuration.upstreamTrust,
            insecureUpstream: configuration.insecureUpstream
        )
        proxy.acceptsCertificates = { _ in true }
        return try ProxyServer(
            configuration: proxy,
            authority: authority,
            clock: { SystemClock.now },
            record: { traffic.record($0) }
        )
    }

    /// The session with the page that the browser opened (DevTools protocol, `Target.attachToTarget`).
    private func attach(to browser: PipedBrowser) async throws -> String {
        let targets = try await ask(browser, "Target.getTargets")["targetInfos"]?.array ?? []
        guard let page = targets.first(where: { $0["type"]?.string == "page" })?["targetId"]?.string else {
            throw CommandFailure(
                .unavailable,
                "\(configuration.launcher.program.name) opened no page",
                hint: Self.anotherBrowser
            )
        }
        let attached = try await ask(
            browser,
            "Target.attachToTarget",
            ["targetId": .string(page), "flatten": true]
        )
        guard let session = attached["sessionId"]?.string else {
            throw CommandFailure(
                .unavailable,
                "\(configuration.launcher.program.name) does not let itself be driven",
                hint: Self.anotherBrowser
            )
        }
        return session
    }

    private static let anotherBrowser =
        "take another one, or a newer one: --browser-program chromium, chrome, edge, brave, or a path"

    /// Asks the browser as a whole, before it is led.
    private func ask(_ browser: PipedBrowser, _ method: String, _ parameters: JSONObject = [:]) async throws
        -> JSONObject
    {
        let id = nextID
        nextID += 1
        let (answers, post) = AsyncStream<BrowserVisitStateMachine.Event>.makeStream()
        browser.listen { post.yield($0) }
        browser.beginTicking()
        defer {
            browser.endTicking()
            browser.listen(nil)
        }
        browser.send(DevToolsCommand(id: id, method, parameters))
        let deadline = SystemClock.now + PipedBrowser.startTime
        for await event in answers {
            switch event {
            case .message(.reply(id, let result)): return result
            case .message(.refusal(id, let reason)):
                throw CommandFailure(
                    .unavailable,
                    "the browser refused \(method): \(reason)",
                    hint: Self.anotherBrowser
                )
            case .browserEnded(let reason): throw CommandFailure(.unavailable, reason)
            case .tick where SystemClock.now > deadline:
                throw CommandFailure(
                    .unavailable,
                    "the browser did not answer \(method)",
                    hint: Self.anotherBrowser
                )
            default: continue
            }
        }
        throw CommandFailure(.unavailable, "interrupted")
    }

    /// Ends the browser and its recorder, and removes its profile.
    func end() async {
        await browser?.end()
        await server?.shutdown()
        (browser, session, server) = (nil, nil, nil)
    }
}
