internal import Captures
import Synchronization

/// Where in a large key log the lines of a connection stand: sixteen bytes for each, whatever their secrets take.
///
/// The lines are read again when a connection asks for them. A file that was changed since gives fewer secrets, or none.
final class TLSKeyLogIndex: Sendable {
    /// Lines of one connection, one behind the other.
    private struct Run {
        /// ``TLSRandom/shortened``.
        var random: UInt64
        /// Where the first of them begins.
        var offset: UInt64
    }

    /// Collects what becomes an index.
    struct Builder {
        private var runs: [Run] = []
        private var last: TLSRandom?

        /// `begin` and `end`: where a line of this connection stands.
        mutating func add(_ random: TLSRandom, from begin: Int, to end: Int) {
            if random == last, let run = runs.last, end - Int(run.offset) <= TLSKeyLogIndex.longestRun {
                return
            }
            last = random
            runs.append(Run(random: random.shortened, offset: UInt64(begin)))
        }

        /// `read`: gives the bytes of a range of the file, fewer at its end.
        consuming func index(_ read: @escaping @Sendable (_ offset: Int, _ count: Int) -> [UInt8])
            -> TLSKeyLogIndex
        {
            TLSKeyLogIndex(runs, read)
        }
    }

    /// Bytes from the first byte of a run to the last.
    private static let longestRun = TLSKeyLog.longestLine
    /// Runs of one connection that are looked at: there are more of them only where somebody made them up.
    private static let mostRuns = 256

    private let runs: [Run]
    private let read: @Sendable (Int, Int) -> [UInt8]
    /// How many connections the lines are of.
    let connections: Int
    /// Of connections that asked.
    private let known = Mutex<[TLSRandom: [TLSKeyLog.Label: [UInt8]]]>([:])

    private init(_ runs: consuming [Run], _ read: @escaping @Sendable (Int, Int) -> [UInt8]) {
        runs.sort { ($0.random, $0.offset) < ($1.random, $1.offset) }
        var connections = 0
        for index in runs.indices where index == 0 || runs[index - 1].random != runs[index].random {
            connections += 1
        }
        self.connections = connections
        self.runs = runs
        self.read = read
    }

    /// The secrets of a connection; what stands further behind in the file counts.
    func secrets(of random: TLSRandom) -> [TLSKeyLog.Label: [UInt8]] {
        if let secrets = known.withLock({ $0[random] }) { return secrets }
        let hash = random.shortened
        let first = runs.partitionPoint { $0.random >= hash }
        var secrets: [TLSKeyLog.Label: [UInt8]] = [:]
        for run in runs[first...].prefix(Self.mostRuns).prefix(while: { $0.random == hash }) {
            let bytes = read(Int(run.offset), Self.longestRun)
            for line in bytes.split(whereSeparator: TLSKeyLog.Line.isEnd) {
                let line = line.withUnsafeBytes { TLSKeyLog.Line($0) }
                guard case .secrets(let found) = line else { continue }
                for secret in found where secret.random == random { secrets[secret.label] = secret.bytes }
            }
        }
        // Only those that are there: anybody can ask for others.
        if !secrets.isEmpty { known.withLock { $0[random] = secrets } }
        return secrets
    }
}
