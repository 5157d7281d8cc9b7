import Captures
import Flows

/// Where a page's script goes with what it is told, once it has sent what the person entered.
extension Drive {
    /// Goes on where the script of the page goes that is shown, after the last step of a login: to what stands today where the recorded
    /// script was told the app's address with the response.
    ///
    /// Where nothing stands there the run ends: the page was filled in by its script, and what was not taken is not entered once more.
    mutating func goOnAsItsScript(after index: Int) async throws {
        guard case .sent(let live) = results[index], live > browser.shown ?? -1,
            let name = browser.nameOfResponse(in: capture[plan.steps[index].exchange])
        else { return }
        guard let url = browser.address(named: name, in: exchanges[live]) else {
            let answered = exchanges[live]
            if let status = answered.response?.status {
                stop = .scriptStopped(url: answered.request.url.withoutQuery, status: status)
            }
            return
        }
        if browser.isTaken(url) { return }
        guard browser.allows(url) else {
            stop = .leadsElsewhere(url: url.withoutQuery)
            return
        }
        let opened = try await exchange(browser.opening(url), isBrowser: true, like: nil)
        arrive(at: opened)
    }
}
