import Testing

@testable import authreel

/// How many connections there is room for where the system allows few files.
struct DescriptorLimitTests {
    @Test(arguments: [(1024, 384), (512, 192), (256, 96), (64, 16), (40, 4), (16, 1)])
    func fewFilesAreSharedOut(descriptors: Int, connections: Int) {
        #expect(DescriptorLimit.room(within: descriptors) == connections)
    }
}
