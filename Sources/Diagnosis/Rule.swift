package import Flows

/// One reason why a login breaks, decided from the recorded exchanges alone.
///
/// A rule is pure: the same flow gives the same verdict. It never fires on absence that the recording may
/// have caused; it abstains and says why.
package protocol Rule: Sendable {
    static var info: RuleInfo { get }

    init()

    func verdict(on flow: Flow) -> Verdict
}
