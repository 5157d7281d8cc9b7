import Packets
import Testing

struct EndpointTests {
    @Test(
        arguments: [
            ([127, 0, 0, 1], "127.0.0.1:443"),
            (Array(repeating: 0, count: 15) + [1], "[::1]:443"),
            (Array(repeating: 0, count: 16), "[::]:443"),
            ([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1], "[2001:db8::1:0:0:1]:443"),
            ([0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1], "[2001:db8:0:1:1:1:1:1]:443"),
            ([0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3], "[1:0:0:2::3]:443"),
        ] as [([UInt8], String)]
    )
    func hasTheShortestText(address: [UInt8], text: String) {
        #expect("\(Endpoint(address: address, port: 443))" == text)
    }
}
