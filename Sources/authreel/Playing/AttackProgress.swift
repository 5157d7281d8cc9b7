import Captures
import Provider
import Reports

/// Says on stderr how far a suite is: a line for each login, and on a terminal which one is under way.
struct AttackProgress {
    private let bar: ProgressBar
    private let total: Int
    private let style = Terminal.standardError.style

    init(total: Int) {
        bar = ProgressBar("attacking", total: total)
        self.total = total
    }

    func begin(_ command: String) {
        StandardError.note("driving \(total.counted("fault")) with: \(command.printable.shortened(to: 200))")
    }

    func show(_ fault: String?, done: Int) { bar.show(done, fault ?? "good login") }

    func clear() { bar.clear() }

    func tell(_ row: AttackReport.Row) { StandardError.line(AttackText.line(of: row, style: style)) }

    func tellGood(_ login: DrivenLogin) {
        StandardError.line(AttackText.line(ofGoodLogin: login.succeeded, login.duration, style: style))
    }
}
