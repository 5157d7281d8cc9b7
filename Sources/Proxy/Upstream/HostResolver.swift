internal import Captures
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Finds the addresses of names, so that they can be judged before anybody is connected to.
///
/// What is judged is what is dialled, whatever the name leads to a moment later. What a name leads to is remembered for a
/// moment: a browser opens half a dozen connections to a server at a time.
final class HostResolver: Sendable {
    typealias Lookup = @Sendable (_ host: String, _ port: Int) -> [SocketAddress]

    private struct Waiting {
        var last = 0
        /// Those who wait, by the name that is being looked up for them; it stays there until that is over.
        var promises: [Key: [Int: EventLoopPromise<[SocketAddress]>]] = [:]
        var isOver = false
    }

    /// The system's resolver blocks, and may for long: its threads are nobody else's, and are not waited for.
    private static let threads = pool(of: 8)
    /// For what is in a list on this machine: no server that is silent holds it up.
    private static let localThread = pool(of: 1)

    private static func pool(of count: Int) -> NIOThreadPool {
        let threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
        return threads
    }

    private struct Known {
        var addresses: [SocketAddress]
        var until: NIODeadline
    }

    private struct Key: Hashable {
        var host: String
        var port: Int
    }

    /// Names at most that are remembered.
    private static let capacity = 256

    private let lookup: Lookup
    private let lifetime: TimeAmount
    private let known = NIOLockedValueBox<[Key: Known]>([:])
    private let waiting = NIOLockedValueBox(Waiting())

    /// - Parameters:
    ///   - lifetime: how long an answer counts.
    ///   - lookup: blocks; empty for a name without an address, which is not remembered.
    init(
        lifetime: TimeAmount = .seconds(2),
        lookup: @escaping Lookup = { HostResolver.addresses(of: $0, port: $1) }
    ) {
        self.lifetime = lifetime
        self.lookup = lookup
    }

    /// The addresses of a host, in the order of the system's preference.
    ///
    /// - Returns: empty when there is none; fails with `ChannelError.connectTimeout` when it takes too long.
    func resolve(_ host: String, port: Int, within time: TimeAmount, on loop: any EventLoop)
        -> EventLoopFuture<[SocketAddress]>
    {
        // An address needs no resolver, and so no other thread.
        if let address = try? SocketAddress(ipAddress: host, port: port) {
            return loop.makeSucceededFuture([address])
        }
        let name = Self.resolvable(host)
        let key = Key(host: name, port: port)
        if let known = known.withLockedValue({ $0[key] }), known.until > .now() {
            return loop.makeSucceededFuture(known.addresses)
        }
        let promise = loop.makePromise(of: [SocketAddress].self)
        guard let place = wait(for: key, promise) else {
            promise.fail(CancellationError())
            return promise.futureResult
        }
        let deadline = loop.scheduleTask(in: time) { [self] in
            take(place.number, of: key)?.fail(ChannelError.connectTimeout(time))
        }
        promise.futureResult.whenComplete { _ in deadline.cancel() }
        // A browser opens half a dozen connections to a name at a time: one thread is enough for all of them.
        guard place.isFirst else { return promise.futureResult }
        let threads = name == Self.localhost ? Self.localThread : Self.threads
        threads.submit { [self] _ in
            guard isWanted(key) else { return }
            let addresses = Self.completed(lookup(name, port), of: name, port: port)
            remember(addresses, for: key)
            for promise in takeAll(of: key) { promise.succeed(addresses) }
        }
        return promise.futureResult
    }

    private func remember(_ addresses: [SocketAddress], for key: Key) {
        guard !addresses.isEmpty else { return }
        known.withLockedValue { known in
            let now = NIODeadline.now()
            if known.count >= Self.capacity { known = known.filter { $0.value.until > now } }
            if known.count >= Self.capacity { known = [:] }
            known[key] = Known(addresses: addresses, until: now + lifetime)
        }
    }

    // MARK: Waiting

    /// Has somebody wait for a name; nil where nobody is answered any more.
    ///
    /// `isFirst`: nobody looks it up yet.
    private func wait(for key: Key, _ promise: EventLoopPromise<[SocketAddress]>) -> (
        number: Int, isFirst: Bool
    )? {
        waiting.withLockedValue { waiting in
            guard !waiting.isOver else { return nil }
            waiting.last += 1
            let isFirst = waiting.promises[key] == nil
            waiting.promises[key, default: [:]][waiting.last] = promise
            return (waiting.last, isFirst)
        }
    }

    /// Whom nobody waits for any more need not be asked for.
    private func isWanted(_ key: Key) -> Bool {
        waiting.withLockedValue { waiting in
            guard waiting.promises[key]?.isEmpty ?? true else { return true }
            waiting.promises[key] = nil
            return false
        }
    }

    private func take(_ number: Int, of key: Key) -> EventLoopPromise<[SocketAddress]>? {
        waiting.withLockedValue { $0.promises[key]?.removeValue(forKey: number) }
    }

    private func takeAll(of key: Key) -> [EventLoopPromise<[SocketAddress]>] {
        waiting.withLockedValue { Array($0.promises.removeValue(forKey: key)?.values ?? [:].values) }
    }

    /// Nobody is answered any more: their event loops are about to end.
    func shutdown() {
        let promises = waiting.withLockedValue { waiting in
            defer { waiting.promises = [:] }
            waiting.isOver = true
            return waiting.promises.values.flatMap(\.values)
        }
        for promise in promises { promise.fail(CancellationError()) }
    }

    // MARK: Names

    /// The name to ask the system for: names below `localhost` are this machine, whatever its resolver knows of them
    /// (RFC 6761, section 6.3), and so is `localhost.`, by which runtimes that leave out loopback can name it.
    static func resolvable(_ host: String) -> String {
        isLocalhost(host) ? localhost : host
    }

    /// `localhost` is both loopback addresses, whatever the system's list of hosts says (RFC 6761, section 6.3): programs listen at
    /// one of them, and other clients try both.
    private static func completed(_ addresses: [SocketAddress], of name: String, port: Int) -> [SocketAddress]
    {
        guard name == localhost else { return addresses }
        let missing = ["127.0.0.1", "::1"].compactMap { try? SocketAddress(ipAddress: $0, port: port) }
        return addresses + missing.filter { other in !addresses.contains { $0.protocol == other.protocol } }
    }

    private static let localhost = "localhost"

    private static func isLocalhost(_ host: String) -> Bool {
        let name = host.withoutFinalDot.lowercased()
        return name == localhost || name.hasSuffix(".localhost")
    }

    /// Whether a host is, by its name or in whatever spelling of an address, this machine's loopback.
    static func isLoopback(_ host: String) -> Bool {
        if isLocalhost(host) { return true }
        let reach = numeric(host, port: 0).map(AddressReach.init)
        return reach == .loopback || reach == .unspecified
    }

    /// The address that a host spells, in any of the ways that the system knows: `127.1`, `0x7f.1`, `2130706433`.
    static func numeric(_ host: String, port: Int) -> SocketAddress? {
        // All spellings begin with a digit, or hold a colon; names need not be looked at.
        guard let first = host.utf8.first, first.isASCIIDigit || host.utf8.contains(0x3a) else {
            return nil
        }
        return addresses(of: host, port: port, flags: AI_NUMERICHOST).first
    }

    /// Asks the system, which may take long unless `flags` say otherwise.
    static func addresses(of host: String, port: Int, flags: CInt = 0) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_flags = flags
        #if canImport(Glibc)
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
        defer { if let first { freeaddrinfo(first) } }
        var found: [SocketAddress] = []
        var next = first
        while let info = next?.pointee {
            next = info.ai_next
            guard let bytes = info.ai_addr.map(UnsafeRawPointer.init) else { continue }
            // Unaligned copies: nothing is promised of where they stand.
            switch info.ai_family {
            case AF_INET: found.append(SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self), host: host))
            case AF_INET6: found.append(SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self), host: host))
            default: break
            }
        }
        return found
    }
}

/// Answers with addresses that are known already, so that they are tried as those of a name are (RFC 8305).
struct KnownAddresses: Resolver, Sendable {
    let addresses: [SocketAddress]
    let loop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {}
}
