package import Captures

extension RecordedURL {
    /// Whether a server can be called there: a web address without a fragment.
    package var isOfServer: Bool { isWeb && fragment == nil && !(host ?? "").isEmpty }

    /// The same of this machine: the only one that a provider of ours calls of its own accord.
    package var isOfServerOfThisMachine: Bool { isOfServer && LoopbackHost.isLoopback(host ?? "") }
}
