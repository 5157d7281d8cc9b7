import Captures
import Flows
import Foundation
import Replay
import Reports
import Synchronization

/// Says on stderr how far replays are: a bar on terminals, pauses and codes to enter always.
final class ReplayProgress: Sendable {
    private let bar: ProgressBar
    private let isVerbose: Bool
    private let finished = Mutex(0)
    /// Hosts that were told of.
    private let refused = Mutex<Set<String>>([])

    init(jobs: Int, isVerbose: Bool) {
        bar = ProgressBar("replaying", total: jobs)
        self.isVerbose = isVerbose
    }

    func tell(_ event: ReplayEvent, of job: ReplayJob) {
        switch event {
        case .sending(let step, let count):
            let request = job.plan.flow.capture[job.plan.steps[step].exchange].request
            let address = String(request.url.withoutQuery.prefix(200)).printable
            bar.tell("step \(step + 1) of \(count): \(request.method) \(address)")
        case .waiting(let duration, let step):
            guard duration >= .seconds(2) else { return }
            clear()
            StandardError.note(
                "\(job.plan.flow.id): waiting \(duration.components.seconds) s before step \(step + 1), as the recording did (--max-wait bounds it)"
            )
        case .enterCode(let code, let address):
            clear()
            StandardError.note(
                "\(job.plan.flow.id): enter the code \(code.printable) at \(address.printable)"
            )
        case .awaitsApproval(let address):
            clear()
            StandardError.note(
                "\(job.plan.flow.id): waiting until somebody agrees on their device, which \(address.printable) tells (Ctrl-C ends it)"
            )
        case .browser(.awaitsPerson(let address)):
            clear()
            StandardError.note(
                "\(job.plan.flow.id): sign in in the window that is open, at \(address.printable); the replay goes on by itself then (Ctrl-C ends it)"
            )
        case .browser(.refused(let host)):
            guard refused.withLock({ $0.insert(host).inserted }) else { return }
            clear()
            StandardError.warn(
                "a page wanted something of \(host.printable), which is not part of this replay; --allow-host \(ShellWord.quoted(host)) lets it"
            )
        case .exchanged(let exchange):
            guard isVerbose else { return }
            let answer = exchange.response.map { "\($0.status)" } ?? exchange.failure ?? "no answer"
            let line = "\(exchange.request.methodAndURL) \(answer)"
            StandardError.note("\(job.plan.flow.id): \(line.printable)")
        }
    }

    func done(_ report: ReplayReport) {
        let count = finished.withLock { count in
            count += 1
            return count
        }
        bar.show(count, report.capture)
    }

    func clear() { bar.clear() }

    /// A line that stays.
    func line(_ text: String) {
        clear()
        StandardError.line(text)
    }
}
