import Captures

/// What becomes of a user's no on a recorded page.
extension ProviderEngine {
    /// What a client, or a device, is told then; nil where nobody waits for it.
    mutating func decline(_ transaction: Transaction, _ request: RecordedRequest) -> BuiltAnswer? {
        if let login = transaction.login {
            state.transactions.close(transaction)
            return deliver(.userCancelled, to: login)
        }
        // The device whose code the form has; the newest where it has none.
        let typed = request.sentForm.first("user_code")
        guard case .visit = transaction.purpose,
            let (code, _) = typed == nil ? state.devices.newest : typed.flatMap(state.devices.entry)
        else { return nil }
        state.devices[code]?.isDenied = true
        return .page(200, SignInPage.deviceDone(isAllowed: false))
    }
}
