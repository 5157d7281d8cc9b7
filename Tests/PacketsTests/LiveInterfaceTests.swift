import Captures
import Foundation
import Packets
import TestSupport
import Testing
import Wire

#if canImport(Glibc)
import Glibc
#endif

struct LiveInterfaceTests {
    /// The loopback interface, where this process may read its packets.
    private static let loopback: String? = {
        guard let name = ((try? LiveInterface.all()) ?? []).first(where: { $0.isLoopback && $0.isUp })?.name,
            (try? LiveInterface(name)) != nil
        else { return nil }
        return name
    }()

    @Test(.enabled(if: loopback != nil))
    func aConnectionOverLoopbackIsRead() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length)
                listen(listener, 1)
                getsockname(listener, $0, &length)
            }
            return UInt16(bigEndian: $0.pointee.sin_port)
        }
        var options = LiveInterface.Options()
        options.filter = "tcp port \(port)"
        let interface = try LiveInterface(#require(Self.loopback), options)

        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, length) }
        }
        #expect(status == 0)
        let server = accept(listener, nil, nil)
        // What nobody has read when it closes is reset, and a reset is believed when time has passed.
        var bytes = [UInt8](repeating: 0, count: 6)
        #expect(write(client, "ask", 3) == 3)
        #expect(read(server, &bytes, 6) == 3)
        #expect(write(server, "answer", 6) == 6)
        #expect(read(client, &bytes, 6) == 6)
        close(client)
        close(server)

        var decoder = PacketDecoder(into: StreamLog())
        let flag = LiveInterface.StopFlag()
        let deadline = DispatchTime.now() + 20
        try interface.read(into: &decoder, until: flag) { decoder in
            if decoder.sink.events.last == "0 closed" || DispatchTime.now() > deadline { flag.set() }
        }
        #expect(decoder.sink.events.last == "0 closed")
        #expect(decoder.sink.text(.client) == "ask")
        #expect(decoder.sink.text(.server) == "answer")
        #expect(decoder.sink.facts.first?.server.description == "127.0.0.1:\(port)")
        #expect(decoder.sink.facts.first?.beganMidStream == false)
        #expect((interface.statistics?.received ?? 0) > 0)
        #expect(interface.losses == [])
    }

    @Test(.enabled(if: loopback != nil))
    func aFilterThatIsNoneIsToldWithItsReason() throws {
        let name = try #require(Self.loopback)
        var options = LiveInterface.Options()
        options.filter = "tcp prot 443"
        do {
            _ = try LiveInterface(name, options)
            Issue.record("taken")
        } catch {
            #expect(error.description.hasPrefix("the filter \"tcp prot 443\": "))
            #expect(error.hint?.contains("man pcap-filter") == true)
        }
    }

    @Test(.enabled(if: loopback != nil))
    func anInterfaceThatIsNotThereIsToldWithThoseThatAre() throws {
        let name = try #require(Self.loopback)
        do {
            _ = try LiveInterface("nosuch0")
            Issue.record("taken")
        } catch {
            #expect(error.description.hasPrefix("no interface nosuch0; there are: "))
            #expect(error.description.contains(name))
        }
    }

    @Test(
        arguments: [
            (["eth0", "any", "lo"], "--interface any reads all of them"),
            (["en0", "lo0"], "for example --interface en0"), ([], nil),
        ] as [([String], String?)]
    )
    func anInterfaceThatIsThereIsProposed(known: [String], hint: String?) {
        #expect(LiveInterfaceError.noSuchInterface(name: "nosuch0", known: known).hint == hint)
    }

    @Test func aRefusalSaysWhatToDo() {
        let refused = LiveInterfaceError.notPermitted(name: "lo", program: "/opt/my tools/authreel")
        #expect(refused.description == "no permission to read the packets of lo")
        #if os(Linux)
        #expect(
            refused.hint
                == "sudo setcap cap_net_raw,cap_net_admin+eip '/opt/my tools/authreel', or run that with sudo"
        )
        #endif
    }

    private struct Counter: PacketSink {
        var count = 0

        mutating func receive(_ packet: Packet) { count += 1 }
        mutating func receiveKeyLog(_ lines: UnsafeRawBufferPointer) {}
    }

    #if os(Linux)
    /// Many small ones that nobody reads while they come, and the recording is ended before anybody does.
    @Test(.enabled(if: Privileges.areHeld))
    func whatCameBeforeTheEndIsGiven() throws {
        let receiver = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(receiver) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Bool in
                bind(receiver, address, length) == 0 && getsockname(receiver, address, &length) == 0
            } ? UInt16(bigEndian: pointer.pointee.sin_port) : 0
        }
        try #require(port > 0)
        var options = LiveInterface.Options()
        options.filter = "udp and dst port \(port)"
        let interface = try LiveInterface("lo", options)
        let datagram = [UInt8](repeating: 0x61, count: 60)
        let count = 5000
        for _ in 0..<count {
            let sent = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(receiver, datagram, datagram.count, 0, $0, length)
                }
            }
            try #require(sent == datagram.count)
        }
        let flag = LiveInterface.StopFlag()
        flag.set()
        var counter = Counter()
        try interface.read(into: &counter, until: flag)
        #expect(interface.losses.isEmpty)
        #expect(counter.count == count)
    }
    #endif

    @Test func whoRanSudoIsGoneOnAs() {
        #expect(Privileges.identity(sudoUser: "1000", sudoGroup: "100") == .init(user: 1000, group: 100))
        for (user, group) in [("0", "0"), ("", "5"), ("-1", "5"), ("4294967295", "5")] {
            #expect(Privileges.identity(sudoUser: user, sudoGroup: group).user != 0)
        }
        #expect(Privileges.identity(sudoUser: nil, sudoGroup: nil).user != 0)
    }

    @Test(.enabled(if: Privileges.areHeld))
    func rightsAreDroppedForGood() async {
        await #expect(processExitsWith: .success) {
            try Privileges.drop(to: Privileges.Identity(user: 54_321, group: 54_322))
            let groups = getgroups(0, nil)
            guard !Privileges.areHeld, getuid() == 54_321, getegid() == 54_322, setuid(0) != 0, groups == 1,
                open("/etc/shadow", O_RDONLY) < 0
            else { exit(1) }
        }
    }

    #if os(Linux)
    /// Also of the first, which has ended in a program that waits for tasks.
    @Test(.enabled(if: Privileges.areHeld))
    func rightsAreDroppedOfEveryThread() async {
        await #expect(processExitsWith: .success) {
            // On another thread than the one that the program began with.
            try await Task.detached {
                try Privileges.drop(to: Privileges.Identity(user: 54_321, group: 54_322))
            }.value
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            for thread in threads {
                let status = try String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
                for line in ["Uid:\t54321\t54321\t54321\t54321\n", "Gid:\t54322\t54322\t54322\t54322\n"]
                where !status.contains(line) { exit(1) }
                guard status.contains("CapPrm:\t0000000000000000") else { exit(2) }
            }
            guard threads.count > 1 else { exit(3) }
        }
    }
    #endif
}
