import Captures

extension RecordedURL {
    /// Whether it is where a program on this machine listens for its answer: in clear, by one of the machine's own names (RFC 8252, section
    /// 7.3).
    var isLoopbackListener: Bool { scheme?.lowercased() == "http" && isOnLoopback }
}
