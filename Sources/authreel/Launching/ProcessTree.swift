import Foundation
import Proxy

/// Who started whom, as far as the system tells (Linux, `/proc`).
enum ProcessTree {
    /// A process as its `/proc/PID/stat` has it.
    struct Member: Hashable {
        var processID: pid_t
        var name: String
        var parent: pid_t
        var group: pid_t
        var session: pid_t
        /// Has ended, and waits to be asked how.
        var isZombie: Bool
    }

    /// Lets what our children leave behind become our children, so that none escapes (Linux).
    static func adoptOrphans() {
        #if os(Linux)
        // Declared variadic, which Swift does not import; its arguments go where a plain function's do.
        typealias Control =
            @convention(c) (CInt, CUnsignedLong, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> CInt
        guard let symbol = dlsym(nil, "prctl") else { return }
        let setChildSubreaper: CInt = 36  // PR_SET_CHILD_SUBREAPER
        _ = unsafeBitCast(symbol, to: Control.self)(setChildSubreaper, 1, 0, 0, 0)
        #endif
    }

    /// What is below us and alive, without the processes of one group: what a command left running, children included.
    static func descendants(of root: pid_t = getpid(), exceptGroup group: pid_t? = nil) -> [Member] {
        let children = Dictionary(grouping: all(), by: \.parent)
        var found: [Member] = []
        var waiting = [root]
        while let next = waiting.popLast() {
            for child in children[next] ?? [] where child.group != group && !child.isZombie {
                found.append(child)
                waiting.append(child.processID)
            }
        }
        return found
    }

    /// Sends a signal to all that is below us.
    static func signalDescendants(_ signal: Int32) {
        for process in descendants() { kill(process.processID, signal) }
    }

    /// Waits until nothing is below us any more.
    ///
    /// `looks`: how often that is looked at; each reads every process of the machine.
    static func descendantsEnd(looks: Int, every pause: Duration) async {
        for _ in 0..<looks {
            if descendants().isEmpty { return }
            try? await Task.sleep(for: pause)
        }
    }

    /// From a process up to the first one, itself included; empty where the system does not tell.
    static func ancestors(of processID: pid_t) -> [pid_t] {
        var line: [pid_t] = []
        var next = processID
        while next > 0, !line.contains(next), let member = member(next) {
            line.append(next)
            next = member.parent
        }
        return line
    }

    /// Whether a process was started with a variable of this name; false where the system does not tell.
    static func has(_ variable: String, _ processID: pid_t) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(processID)/environ") else {
            return false
        }
        return bytes.split(separator: 0).contains { $0.starts(with: Array("\(variable)=".utf8)) }
    }

    /// Whether a process, or one between it and us, was started with a variable of this name: Chromium's helpers write over
    /// theirs.
    static func isMarked(_ variable: String, _ processID: pid_t) -> Bool {
        isMarked(variable, line: ancestors(of: processID))
    }

    /// The same of the line of ``ancestors(of:)``.
    static func isMarked(_ variable: String, line: [pid_t]) -> Bool {
        line.prefix { $0 != getpid() }.contains { has(variable, $0) }
    }

    /// Forgets an adopted child that has ended; those we started ourselves are waited for by ``ChildProcess``.
    static func reapOrphans(except started: Set<pid_t>) {
        for member in all() where member.isZombie && member.parent == getpid() {
            var status: Int32 = 0
            if !started.contains(member.processID) { waitpid(member.processID, &status, WNOHANG) }
        }
    }

    /// `PID (NAME) STATE PARENT GROUP SESSION …`; a name may hold anything, parentheses and spaces included.
    static func parse(_ status: [UInt8]) -> Member? {
        guard let open = status.firstIndex(of: UInt8(ascii: "(")),
            let close = status.lastIndex(of: UInt8(ascii: ")")), open < close,
            let processID = number(status[..<open].split(separator: UInt8(ascii: " ")).first)
        else { return nil }
        let fields = status[(close + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 4)
        guard fields.count > 3, let parent = number(fields[1]), let group = number(fields[2]),
            let session = number(fields[3])
        else { return nil }
        return Member(
            processID: processID,
            name: String(decoding: status[(open + 1)..<close], as: UTF8.self),
            parent: parent,
            group: group,
            session: session,
            isZombie: fields[0].elementsEqual("Z".utf8) || fields[0].elementsEqual("X".utf8)
        )
    }

    private static func number(_ digits: ArraySlice<UInt8>?) -> pid_t? {
        digits.flatMap { pid_t(String(decoding: $0, as: UTF8.self)) }
    }

    private static func member(_ processID: pid_t) -> Member? {
        #if os(Linux)
        ProcessFolder(processID).flatMap { parse($0.status) }
        #else
        nil
        #endif
    }

    private static func all() -> [Member] {
        #if os(Linux)
        ProcessFolder.processIDs.compactMap(member)
        #else
        []
        #endif
    }
}
