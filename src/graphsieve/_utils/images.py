"""Features that are the pixels of images."""


def check_shape(shape, n_features, parameter):
    """Height and width as a tuple; an error unless they fit the number of features."""
    try:
        height, width = (int(side) for side in shape)
    except (TypeError, ValueError):
        raise ValueError(
            f"{parameter} must be the height and width of the images, such as (28, 28)"
        ) from None
    if height * width != n_features:
        raise ValueError(
            f"{parameter}={height}x{width} has {height * width} pixels, but the data have "
            f"{n_features} features"
        )
    return height, width
