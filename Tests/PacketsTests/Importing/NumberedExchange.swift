/// A request and its answer, which have the same number.
enum NumberedExchange {
    static func request(_ number: Int) -> [UInt8] {
        Array("GET /\(number) HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8)
    }

    static func answer(_ number: Int) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)".utf8)
    }
}
