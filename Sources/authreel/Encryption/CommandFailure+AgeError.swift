import Sharing

extension CommandFailure {
    /// What age's format refuses, with what to do next.
    ///
    /// - Parameters:
    ///   - error: its words say what, not where.
    ///   - name: the file that it is about; nil where it is about none.
    init(_ error: AgeError, in name: String? = nil) {
        let status: ExitStatus =
            switch error {
            case .noIdentity, .emptyPassphrase, .passphraseBesideRecipients, .tooManyRecipients: .usage
            case .notARecipient(line: nil, _): .usage
            case .cryptography: .unavailable
            default: .dataError
            }
        self.init(status, (name.map { "\($0): " } ?? "") + "\(error)", hint: error.hint)
    }
}
