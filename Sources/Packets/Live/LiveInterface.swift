import CPcap
import Captures
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An interface whose packets are read while they come, by libpcap.
///
/// Opening it needs rights that reading does not: once it is open they can be dropped, see ``Privileges``.
package final class LiveInterface {
    /// What is asked of the system.
    package struct Options: Sendable {
        /// A filter as tcpdump takes it; nil for all packets.
        package var filter: String?
        /// Bytes that are kept of each packet.
        package var snapLength = 262_144
        /// Bytes that the system may hold while nobody reads; what comes beyond is dropped and counted.
        package var bufferSize = 32 << 20
        /// Whether packets between others are wanted as well, where the network brings them here.
        package var isPromiscuous = false
        /// The program as a hint is to name it.
        package var program = "authreel"

        package init() {}
    }

    /// One of the system's interfaces.
    package struct Description: Sendable, Hashable {
        package var name: String
        /// Words of the system, where it has any.
        package var text: String?
        package var isLoopback: Bool
        package var isUp: Bool
    }

    /// What the system counted since the interface was opened.
    package struct Statistics: Sendable, Hashable {
        package var received: Int
        /// Not kept, because the buffer was full.
        package var dropped: Int
        /// Not kept by the interface or its driver.
        package var droppedByInterface: Int
    }

    /// Ends the reading from another thread, or from a signal's handler on a queue.
    package final class StopFlag: Sendable {
        private let value = Atomic(false)

        package init() {}

        package var isSet: Bool { value.load(ordering: .relaxed) }

        package func set() { value.store(true, ordering: .relaxed) }
    }

    package let name: String
    package let linkType: LinkType
    private let handle: OpaquePointer
    private let descriptor: Int32
    private let hasNanoseconds: Bool
    private var number = 0

    /// Opens an interface; packets are kept from now on.
    ///
    /// - Throws: ``LiveInterfaceError``.
    package init(_ name: String, _ options: Options = Options()) throws(LiveInterfaceError) {
        var words = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        guard let handle = pcap_create(name, &words) else {
            throw .failed(name: name, reason: Self.text(words))
        }
        pcap_set_snaplen(handle, Int32(clamping: options.snapLength))
        pcap_set_promisc(handle, options.isPromiscuous ? 1 : 0)
        #if os(Linux)
        // In immediate mode each packet takes a place of the longest, and a few hundred small ones fill the buffer.
        pcap_set_timeout(handle, Self.holdTime)
        #else
        pcap_set_immediate_mode(handle, 1)
        #endif
        pcap_set_buffer_size(handle, Int32(clamping: options.bufferSize))
        hasNanoseconds = pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO) == 0
        let status = pcap_activate(handle)
        if let error = Self.error(status, name, options, handle) {
            pcap_close(handle)
            throw error
        }
        if let filter = options.filter {
            do throws(LiveInterfaceError) { try Self.set(filter, of: handle) } catch {
                pcap_close(handle)
                throw error
            }
        }
        guard pcap_setnonblock(handle, 1, &words) == 0 else {
            pcap_close(handle)
            throw .failed(name: name, reason: Self.text(words))
        }
        self.name = name
        self.handle = handle
        linkType = LinkType(rawValue: UInt32(truncatingIfNeeded: pcap_datalink(handle)))
        descriptor = pcap_get_selectable_fd(handle)
    }

    deinit { pcap_close(handle) }

    /// How long the system may keep packets to give several at a time, in milliseconds.
    private static let holdTime: Int32 = 20

    /// Gives the packets that come to a sink, until the flag is set: those that came before it was are given, too.
    ///
    /// - Parameters:
    ///   - sink: takes the packets.
    ///   - flag: looked at between packets, and ten times a second where none come.
    ///   - pause: called whenever no packet waits.
    /// - Throws: ``LiveInterfaceError`` where the interface goes away.
    package func read<Sink: PacketSink>(
        into sink: inout Sink,
        until flag: StopFlag,
        pause: (inout Sink) -> Void = { _ in }
    ) throws(LiveInterfaceError) {
        var header: UnsafeMutablePointer<pcap_pkthdr>?
        var bytes: UnsafePointer<UInt8>?
        // When the last packet that counts may have come, and be given by the system.
        var end: (last: Timestamp, given: Timestamp)?
        while true {
            if end == nil, flag.isSet {
                let now = Self.now
                end = (now, now + .milliseconds(3 * Int64(Self.holdTime)))
            }
            switch pcap_next_ex(handle, &header, &bytes) {
            case 1:
                guard let header, let bytes else { continue }
                if let end, time(of: header.pointee) > end.last { return }
                give(header.pointee, bytes, to: &sink)
            case 0:
                if let end, Self.now >= end.given { return }
                pause(&sink)
                wait(milliseconds: end == nil ? 100 : Self.holdTime / 2)
            case PCAP_ERROR_BREAK: return
            default: throw .failed(name: name, reason: Self.words(handle))
            }
        }
    }

    /// What was received and what was dropped up to now; nil where the system does not count.
    package var statistics: Statistics? {
        var counted = pcap_stat()
        guard pcap_stats(handle, &counted) == 0 else { return nil }
        return Statistics(
            received: Int(counted.ps_recv),
            dropped: Int(counted.ps_drop),
            droppedByInterface: Int(counted.ps_ifdrop)
        )
    }

    /// What was not recorded, in words.
    package var losses: [PacketLoss] {
        guard let statistics else { return [] }
        var losses: [PacketLoss] = []
        if statistics.dropped > 0 {
            losses.append(
                PacketLoss(
                    what: "\(statistics.dropped) packets came faster than they were read; a filter helps"
                )
            )
        }
        if statistics.droppedByInterface > 0 {
            losses.append(
                PacketLoss(what: "\(statistics.droppedByInterface) packets were dropped by \(name)")
            )
        }
        return losses
    }

    /// The interfaces that there are, in the system's order.
    ///
    /// - Throws: ``LiveInterfaceError/failed(name:reason:)``.
    package static func all() throws(LiveInterfaceError) -> [Description] {
        var words = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        var first: UnsafeMutablePointer<pcap_if_t>?
        guard pcap_findalldevs(&first, &words) == 0 else {
            throw .failed(name: "interfaces", reason: text(words))
        }
        defer { pcap_freealldevs(first) }
        var found: [Description] = []
        var next = first
        while let interface = next?.pointee {
            found.append(
                Description(
                    name: String(cString: interface.name),
                    text: interface.description.map { String(cString: $0) },
                    isLoopback: interface.flags & UInt32(PCAP_IF_LOOPBACK) != 0,
                    isUp: interface.flags & UInt32(PCAP_IF_UP) != 0
                )
            )
            next = interface.next
        }
        return found
    }

    // MARK: - libpcap

    private func give<Sink: PacketSink>(
        _ header: pcap_pkthdr,
        _ bytes: UnsafePointer<UInt8>,
        to sink: inout Sink
    ) {
        number += 1
        sink.receive(
            Packet(
                number: number,
                time: time(of: header),
                linkType: linkType,
                bytes: UnsafeRawBufferPointer(start: bytes, count: Int(header.caplen)),
                originalLength: Int(header.len)
            )
        )
    }

    private func time(of header: pcap_pkthdr) -> Timestamp {
        let rest = Int64(header.ts.tv_usec) &* (hasNanoseconds ? 1 : 1000)
        return Timestamp(nanoseconds: Int64(header.ts.tv_sec) &* 1_000_000_000 &+ rest)
    }

    /// By the clock that packets are stamped by.
    private static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// Waits for a packet, so long at most.
    private func wait(milliseconds: Int32) {
        guard descriptor >= 0 else {
            usleep(1000)
            return
        }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&waiting, 1, milliseconds)
    }

    private static func set(_ filter: String, of handle: OpaquePointer) throws(LiveInterfaceError) {
        var program = bpf_program()
        guard pcap_compile(handle, &program, filter, 1, PCAP_NETMASK_UNKNOWN) == 0 else {
            throw .filter(expression: filter, reason: words(handle))
        }
        defer { pcap_freecode(&program) }
        guard pcap_setfilter(handle, &program) == 0 else {
            throw .filter(expression: filter, reason: words(handle))
        }
    }

    /// Nil where the interface is open, with or without a warning.
    private static func error(
        _ status: Int32,
        _ name: String,
        _ options: Options,
        _ handle: OpaquePointer
    ) -> LiveInterfaceError? {
        guard status < 0 else { return nil }
        switch status {
        case PCAP_ERROR_NO_SUCH_DEVICE:
            return .noSuchInterface(name: name, known: ((try? all()) ?? []).map(\.name))
        case PCAP_ERROR_PERM_DENIED, PCAP_ERROR_PROMISC_PERM_DENIED:
            return .notPermitted(name: name, program: options.program)
        case PCAP_ERROR_IFACE_NOT_UP: return .notUp(name: name)
        default:
            let own = words(handle)
            return .failed(name: name, reason: own.isEmpty ? String(cString: pcap_statustostr(status)) : own)
        }
    }

    private static func words(_ handle: OpaquePointer) -> String { String(cString: pcap_geterr(handle)) }

    private static func text(_ words: [CChar]) -> String {
        String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
